# test_import_milc.py - `naik import-milc`: what it writes is what was asked for, the rest refused
# timeout: 600
import os
import re

from program import SCRATCH, answer, finish, verdict

os.chdir(SCRATCH)


HEAD = """prompt 0
nx 8
ny 8
nz 8
nt 16
iseed 42
job_id a.1

# first calculation
reload_parallel conf/l8816.1
u0 0.8696
no_gauge_fix
forget
staple_weight 0
ape_iter 0
coordinate_origin 0 0 0 0
time_bc antiperiodic
max_number_of_eigenpairs 0
number_of_pbp_masses 0
"""
SOURCES = """number_of_base_sources 8
point
field_type KS
subset full
origin 1 2 3 4
source_label p
forget_source
corner_wall
subset full
t0 3
source_label c
forget_source
even_wall
subset full
t0 0
source_label e
forget_source
evenandodd_wall
subset full
t0 0
source_label q
forget_source
evenminusodd_wall
subset full
t0 0
source_label o
forget_source
gaussian
subset full
origin 0 0 0 5
r0 2.5
source_label g
forget_source
random_color_wall
subset full
t0 7
ncolor 3
momentum 0 1 -1
source_label r
forget_source
vector_field
subset full
origin 0 0 0 0
load_source_serial ks.src
ncolor 3
momentum 0 0 0
source_label v
forget_source
number_of_modified_sources 1
source 1
identity
op_label i
forget_source
"""


def one_set(source, propagators, kind="multimass"):
    return f"""set_type {kind}
inv_type UML
max_cg_iterations 300
max_cg_restarts 5
check yes
momentum_twist 0 0 0
precision 2
source {source}
number_of_propagators {len(propagators)}
""" + "".join(f"""mass {m}
naik_term_epsilon {e}
error_for_propagator {tolerance}
rel_error_for_propagator 0
fresh_ksprop
forget_ksprop
""" for m, e, tolerance in propagators)


SETS = ("number_of_sets 10\n"
        + "".join(one_set(s, [(0.05, 0, 1e-8)]) for s in range(8))
        + one_set(8, [(0.05, -0.1, 1e-8), (0.1, 0, 1e-8), (0.2, 0, 1e-12)])
        + """set_type multisource
inv_type CG
max_cg_iterations 400
max_cg_restarts 5
check no
momentum_twist 0 0 0
time_bc antiperiodic
precision 1
mass 0.3
naik_term_epsilon -0.2
number_of_propagators 2
""" + """source {}
error_for_propagator 1e-9
rel_error_for_propagator 0
fresh_ksprop
forget_ksprop
source {}
error_for_propagator 1e-9
rel_error_for_propagator 0
fresh_ksprop
save_serial_scidac_ksprop p.out
""".format(0, 3))
MESONS = """number_of_quarks 2
propagator 0
identity
op_label d
forget_ksprop
quark 0
identity
op_label d
forget_ksprop
number_of_mesons 2
pair 0 1
spectrum_request meson
save_corr_fnal corr.out
r_offset 0 0 0 0
number_of_correlators 2
correlator PION_5 p000 1 * 1 pion5 0 0 0 E E E
correlator PION_5 p100 1 * 0.5 pion5 1 0 0 EO EO E
pair 1 1
spectrum_request meson
forget_corr
r_offset 0 0 0 0
number_of_correlators 1
correlator PION_05 p000 1 / 1 pion05 0 0 0 E E E
"""
TAIL = "number_of_baryons 0\n"
WHOLE = HEAD + SOURCES + SETS + MESONS + TAIL
EXPECTED = """lattice:
  size: [8, 8, 8, 16]
  boundary_t: antiperiodic
gauge:
  file: "conf/l8816.1"
action:
  type: hisq
solve:
""" + "".join(f"""  - name: set{i}  # line LINE
    masses: [0.05]
    tolerance: 1e-08
    source:
      type: {kind}
{more}""" for i, (kind, more) in enumerate([
    ("point", "      origin: [1, 2, 3, 4]\n"), ("corner_wall", "      t0: 3\n"),
    ("even_wall", "      t0: 0\n"), ("evenandodd_wall", "      t0: 0\n"),
    ("evenminusodd_wall", "      t0: 0\n"),
    ("gaussian", "      origin: [0, 0, 0, 5]\n      radius: 2.5\n"),
    ("random_wall",
     "      t0: 7\n      noise: gaussian\n      seed: 48\n      momentum: [0, 1, -1]\n"),
    ("file", "      file: \"ks.src\"\n")])) + """  - name: set8  # line LINE
    masses: [0.05, 0.1]
    naik_epsilon: [-0.1, 0]
    tolerance: 1e-08
    source:
      type: corner_wall
      t0: 3
  - name: set8_1  # line LINE
    masses: [0.2]
    tolerance: 1e-12
    source:
      type: corner_wall
      t0: 3
  - name: set9  # line LINE
    masses: [0.3]
    naik_epsilon: [-0.2]
    tolerance: 1e-09
    source:
      type: point
      origin: [1, 2, 3, 4]
  - name: set9_1  # line LINE
    masses: [0.3]
    naik_epsilon: [-0.2]
    tolerance: 1e-09
    source:
      type: evenandodd_wall
      t0: 0
solver:
  max_iterations: 2000
output:
  file: "run.h5"
  propagators: true
  correlators: [pion5, pion05]
  momenta: [[0, 0, 0], [1, 0, 0]]
  origin: [0, 0, 0, 0]
"""


def body(text):
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return "\n".join(line.split("# line ")[0] + ("# line LINE" if "# line " in line else "")
                     for line in lines) + "\n"


def write(name, text):
    with open(name, "w") as f:
        f.write(text)


write("in.milc", WHOLE)
status, said, told = answer("import-milc", "in.milc", "-o", "run.yaml")
got = open("run.yaml").read() if status == 0 else ""
verdict("import_milc_writes_the_equivalent_input", status == 0 and body(got) == EXPECTED,
        told + body(got))
notes = ["random_color_wall: noise of the same kind, from other random numbers",
         "PION_5 is written without its factor 1 * 0.5",
         "p.out: all propagators go into output.file"]
verdict("import_milc_notes_what_it_leaves_out",
        all(f"naik: warning: line {line}: {note}" in told and f"# line {line}: {note}" in got
            for note in notes
            for line in [1 + WHOLE.splitlines().index(next(
                x for x in WHOLE.splitlines()
                if x.startswith({"r": "momentum 0 1 -1", "P": "correlator PION_5 p100",
                                 "p": "save_serial"}[note[0]])))]), told)

# A pair that is counted from its source, cosines, and what does not go together.
moved = "pion5 1 0 0 EO EO E"
for name, old, new, wanted in (
        ("counts_from_the_source", "r_offset 0 0 0 0", "r_offset 1 2 3 4", "  momenta: [[0, 0, 0], [1, 0, 0]]\n"),
        ("has_cosines", moved, "pion5 1 1 0 E E E", "  momenta: [[0, 0, 0], [1, 1, 0]]\n  momentum_weight: cos\n  origin: [0, 0, 0, 0]\n"),
        ("refuses_two_weights", moved, moved + "\ncorrelator PION_5 p110 1 * 1 pion5 1 1 0 E E E", "of PION_5 are others than those before it"),
        ("refuses_two_places", "number_of_correlators 1\ncorrelator PION_05 p000 1 / 1 pion05 0 0 0 E E E",
         "number_of_correlators 1\ncorrelator PION_05 p100 1 / 1 pion5 1 0 0 EO E E",
         "with r_offset 0 0 0 0 cannot be expressed beside those before it"),
        ("refuses_two_places_above_each_other", "number_of_correlators 1\ncorrelator PION_05 p000 1 / 1 pion05 0 0 0 E E E",
         "number_of_correlators 1\ncorrelator PION_05 p001 1 / 1 pion5 0 0 1 E E EO",
         "with r_offset 0 0 0 0 cannot be expressed beside those before it"),
        ("takes_two_places_above_each_other_where_no_phase_tells", "number_of_correlators 1\ncorrelator PION_05 p000 1 / 1 pion05 0 0 0 E E E",
         "number_of_correlators 1\ncorrelator PION_05 p100 1 / 1 pion5 1 0 0 EO E E", "  origin: [0, 0, 1, 0]\n"),
        ("notes_a_division", "p000 1 / 1 pion05", "p000 1 / 2 pion05", "PION_05 is written without its factor 1 / 2")):
    text = WHOLE.replace("number_of_correlators 2", "number_of_correlators 3") if name == "refuses_two_weights" else WHOLE
    if "_two_places" in name:
        text = text.replace("r_offset 0 0 0 0", "r_offset 3 2 3 4" if name == "refuses_two_places" else "r_offset 0 0 1 0", 1)
        text = text.replace("pair 1 1", "pair 0 0")
    assert old in text, old
    write("counted.milc", text.replace(old, new))
    status, said, told = answer("import-milc", "counted.milc")
    verdict("import_milc_" + name, (wanted in said or wanted in told) and (name != "counts_from_the_source" or "\n  origin: [" not in said), said + told)

status, said, told = answer("import-milc", "in.milc", "-o", "run.yaml")
verdict("import_milc_overwrites_nothing",
        status == 1 and told == "naik: error: run.yaml is there already and is not replaced without --force: choose another name\n", told)

# A second calculation on the same configuration counts its sources and propagators anew.
plain = (HEAD + """number_of_base_sources 1
point
subset full
origin 0 0 0 0
source_label d
forget_source
number_of_modified_sources 0
number_of_sets 1
max_cg_iterations 300
max_cg_restarts 5
check yes
momentum_twist 0 0 0
precision 2
source 0
number_of_propagators 1
mass 0.05
error_for_propagator 1e-8
rel_error_for_propagator 0
fresh_ksprop
forget_ksprop
number_of_quarks 1
propagator 0
identity
op_label d
forget_ksprop
number_of_mesons 1
pair 0 0
spectrum_request meson
forget_corr
r_offset 0 0 0 0
number_of_correlators 1
correlator PION_5 p000 1 * 1 pion5 0 0 0 E E E
number_of_baryons 0
""")
# Sets that differ in the place of their source alone share an entry of solve.
again = plain[plain.index("reload_parallel"):].replace("reload_parallel conf/l8816.1", "continue")
write("two.milc", plain + again.replace("origin 0 0 0 0\nsource", "origin 0 0 0 8\nsource"))
status, said, told = answer("import-milc", "two.milc")
verdict("import_milc_joins_calculations_on_one_configuration",
        status == 0 and "name: set0 " in said and "name: set1 " not in said
        and "origin: [[0, 0, 0, 0], [0, 0, 0, 8]]\n" in said and "type: asqtad\n  u0: 0.8696" in said
        and "two.h5" in said, said + told)
status, said, told = answer("import-milc", "two.milc", "--action", "naive")
verdict("import_milc_takes_the_action_from_the_user",
        status == 0 and "type: naive\nsolve" in said, said + told)

# What replaces what in `plain`, and the sentence; the line is where the replacement stands.
ROWS = """no_gauge_fix|axial_gauge_fix|gauge field: expected 'no_gauge_fix', 'coulomb_gauge_fix' or 'landau_gauge_fix', found 'axial_gauge_fix'
number_of_baryons 0|number_of_baryons 0 continue u0 0.8696 coulomb_gauge_fix|gauge field: one configuration in two gauges cannot be expressed; make two inputs
forget~|save_parallel x~|gauge field: 'save_parallel' cannot be expressed; `naik gauge convert` writes configurations, write forget here
reload_parallel conf/l8816.1|fresh|gauge field: 'fresh' cannot be expressed; naik reads a configuration from a file (reload_serial, reload_parallel)
coordinate_origin 0 0 0 0|coordinate_origin 0 0 0 1|gauge field: a coordinate_origin that is odd cannot be expressed: the phases of naik begin at 0 0 0 0
time_bc antiperiodic|time_bc both|gauge field: 'time_bc' must be antiperiodic or periodic, not 'both'
number_of_pbp_masses 0|number_of_pbp_masses 2 mass 0.1|condensate: expected 'max_cg_iterations', found 'mass'
point~|fat_covariant_gaussian~|base source 0: 'fat_covariant_gaussian' cannot be expressed; naik has point, the corner_walls, even_wall, evenandodd_wall, evenminusodd_wall, gaussian, random_color_wall, random_complex_wall, vector_field
subset full|subset corner|base source 0: 'subset corner' of this source cannot be expressed, only full, and corner of gaussian and random sources: MILC since 2013 does not apply it to others, so write full
subset full|subst full|base source 0: expected 'subset', found 'subst'
origin 0 0 0 0~source|origin 0 0 0 16~source|base source 0: t = 16 lies outside the lattice
origin 0 0 0 0~source|origin 0 0 0 x~source|base source 0: 'origin' must be an integer from 0 to 32767, not 'x'
source_label d|scale_factor 2 source_label d|base source 0: 'scale_factor 2' cannot be expressed
number_of_modified_sources 0|number_of_modified_sources 1 source 0 hopping op_label h forget_source|modified source 1: the operation 'hopping' on a source cannot be expressed, only identity, momentum, covariant_gaussian, spin_taste and funny walls
number_of_modified_sources 0|number_of_modified_sources 1 source 0 spin_taste spin_taste rhots op_label h forget_source|modified source 1: 'spin_taste rhots' of this source cannot be expressed: naik has no such operator
number_of_modified_sources 0|number_of_modified_sources 2 source 0 spin_taste spin_taste GX-G1 op_label h forget_source source 1 spin_taste spin_taste GX-G1 op_label h forget_source|modified source 2: 'spin_taste GX-G1' of this source cannot be expressed: the source has one already
number_of_modified_sources 0|number_of_modified_sources 1 source 0 funnywall1 op_label h forget_source|modified source 1: funnywall1 of this source cannot be expressed, only of a whole evenandodd_wall without a momentum, with links that are not smeared (ape_iter 0)
check yes|check maybe|set 0: 'check' must be yes, no or sourceonly, not 'maybe'
momentum_twist 0 0 0|momentum_twist 0 0 x|set 0: 'momentum_twist' must be numbers from -2000 to 2000, not 'x'
number_of_modified_sources 0|number_of_modified_sources 1 source 0 covariant_gaussian stride 1 r0 2 source_iters 5 op_label h forget_source|modified source 1: a covariant_gaussian of stride 1 cannot be expressed, only of 2
number_of_modified_sources 0|number_of_modified_sources 1 source 0 covariant_gaussian stride 2 r0 0 source_iters 5 op_label h forget_source|modified source 1: 'r0' must be above 0, not '0'
number_of_modified_sources 0|number_of_modified_sources 2 source 0 covariant_gaussian stride 2 r0 2 source_iters 5 op_label h forget_source source 1 covariant_gaussian stride 2 r0 2 source_iters 5 op_label h forget_source|modified source 2: covariant_gaussian of this source cannot be expressed, only of a point
identity~op_label d|covariant_gaussian stride 3 r0 2 source_iters 5 op_label d|quark 0: a covariant_gaussian of stride 3 cannot be expressed, only of 2
precision 2|time_bc periodic precision 2|set 0: two time_bc in one file cannot be expressed; make two inputs
precision 2|precision 2 charge 1|set 0: 'charge 1' cannot be expressed
mass 0.05|mass -0.05|set 0: 'mass' must be above 0, not '-0.05'
mass 0.05|mass nan|set 0: 'mass' must be a number, not 'nan'
error_for_propagator 1e-8~|error_for_propagator 0~|set 0: one of error_for_propagator and rel_error_for_propagator must be above 0
fresh_ksprop|stale_ksprop a|set 0: expected 'fresh_ksprop' or 'reload_...', found 'stale_ksprop'
propagator 0~identity|propagator 1~identity|quark 0: 'propagator' must be an integer from 0 to 0, not '1'
identity~op_label d|funnywall1~op_label d|quark 0: the sink operation 'funnywall1' cannot be expressed, only identity and one evenandodd_wall or covariant_gaussian; save the propagators and contract with naik_io.py
propagator 0~identity~op_label d|combine 1 quarks 0 coeffs 1|quark 0: 'combine' cannot be expressed; a quark is a propagator here
propagator 0~identity|propagate 2~identity|quark 0: expected 'propagator', 'quark' or 'combine', found 'propagate'
pair 0 0|pair 0 1|meson 0: 'pair' must be an integer from 0 to 0, not '1'
spectrum_request meson|spectrum_request baryon|meson 0: 'spectrum_request baryon' cannot be expressed, only meson
1 * 1 pion5|1 * 1 rhots|meson 0: the meson 'rhots' of PION_5 cannot be expressed; save the propagators and contract with naik_io.py
pion5 0 0 0 E E E|pion5 1 0 0 O E E|meson 0: the momentum parities O E E of PION_5 cannot be expressed, only E (cosines) or EO (the exponential) in all directions
pion5 0 0 0 E E E|pion5 1 1 0 E EO E|meson 0: the momentum parities E EO E of PION_5 cannot be expressed, only E (cosines) or EO (the exponential) in all directions
number_of_baryons 0|number_of_baryons 1 triplet 0 0 0 spectrum_request baryon forget_corr r_offset 0 0 0 0 number_of_correlators 1 correlator N 1 * 1 delta|baryon 0: the baryon 'delta' of N cannot be expressed; save the propagators and contract with naik_io.py
number_of_baryons 0|number_of_baryons 0 reload_serial other|gauge field: a second configuration cannot be expressed; one input of naik is for one configuration
number_of_baryons 0|number_of_baryons 0 continue u0 0.9|gauge field: two u0 in one file cannot be expressed; make two inputs
nx 8|nx 0|lattice: 'nx' must be an integer from 2 to 32768, not '0'
nx 8|nx eight|lattice: 'nx' must be an integer from 2 to 32768, not 'eight'
"""
wrong = []
for row in ROWS.splitlines():
    old, new, sentence = row.split("|", 2)
    old, new = old.replace("~", "\n"), new.replace("~", "\n")
    assert old in plain, old
    at = plain.index(old)
    if old.startswith("error_for"):
        line = plain[:at].count("\n") + 2  # both numbers must be seen
    else:
        line = plain[:at].count("\n") + 1
    write("bad.milc", plain.replace(old, new, 1))
    status, said, told = answer("import-milc", "bad.milc")
    one = f"naik: error: bad.milc:{line}: {sentence}\n"
    first = f"naik: warning: bad.milc:{line}: {sentence}\n"  # of several
    if status != 1 or said or told != one and not (
            told.startswith(first) and told.splitlines()[-1].startswith("naik: error: bad.milc: these ")):
        wrong.append(f"{row}\n  line {line}: {status} {said[:80]} {told}")
verdict("import_milc_names_line_and_stanza_of_what_naik_cannot_do", not wrong, "\n".join(wrong))

# Words of the options and what follows from the name of the translation: what is replaced, by what, the options, a piece of the answer.
wrong = []
EPSILON = ("mass 0.05\n", "mass 0.05\nnaik_term_epsilon -0.1\n")
os.makedirs("inside.x", exist_ok=True)
for old, new, options, exits, wanted in (
        ("forget_source\nnumber_of_mod", "keep_source\nnumber_of_mod", "", 1, "expected 'forget_source' or 'save_...', found 'keep_source'"),
        ("fresh_ksprop\nforget_ksprop", "fresh_ksprop\nkeep_ksprop", "", 1, "expected 'forget_ksprop' or 'save_...', found 'keep_ksprop'"),
        ("forget_corr", "keep_corr", "", 1, "expected 'forget_corr' or 'save_...', found 'keep_corr'"),
        ("1 * 1 pion5", "1 x 1 pion5", "", 1, "expected * or / and a factor, found 'x'"),
        ("1 * 1 pion5", "1 * y pion5", "", 1, "the factor must be a number, not 'y'"),
        ("mass 0.05\n", "mass 0.05\nnaik_term_epsilon z\n", "", 1, "'naik_term_epsilon' must be a number, not 'z'"),
        ("number_of_baryons 0\n", "", "", 1, "the file ends where number_of_baryons is expected"),
        ("number_of_baryons 0\n", "number_of_baryons", "", 1, "the file ends where"),
        (*EPSILON, "", 0, "type: hisq\n"), (*EPSILON, "--action hisq", 0, "type: hisq\n"),
        (*EPSILON, "--action asqtad", 1, "words.milc has naik_term_epsilon and so is for hisq, not for asqtad"),
        (*EPSILON, "--action naive", 1, "words.milc has naik_term_epsilon and so is for hisq, not for naive"),
        ("", "", "", 0, "no naik_term_epsilon: action asqtad; --action says otherwise"),
        ("", "", "--action asqtad", 0, "type: asqtad\n"), ("", "", "--action hisq", 0, "type: hisq\n"),
        ("", "", "", 0, "  file: \"words.h5\"\n"), ("", "", "-o a.b.yaml", 0, "  file: \"a.b.h5\"\n"), ("", "", "-o .c.yaml", 0, "  file: \".c.h5\"\n"),
        ("", "", "-o inside.x/d", 0, "  file: \"d.h5\"\n"), ("", "", "-o inside.x/e.f.yaml", 0, "  file: \"e.f.h5\"\n"),
        ("pair 0 0", "pair 0 1", "", 1, "pair"),
        ("number_of_mesons 1", "number_of_mesons 0", "", 1, "words.milc:")):
    assert old in plain, old
    write("words.milc", plain.replace(old, new, 1))
    status, said, told = answer("import-milc", "words.milc", *options.split(), *(["--force"] if "-o" in options else []))
    if "-o" in options and status == 0:
        said += open(options.split()[1]).read()
    if status != exits or wanted not in said + told:
        wrong.append(f"{new} {options}: {status} {said[-400:]} {told}")
verdict("import_milc_takes_words_and_names_as_they_are_meant", not wrong, "\n".join(wrong))

# Everything at once, and the rest is translated.
NEW_SOURCES = """number_of_base_sources 3
random_color_wall
field_type KS
subset full
t0 2
ncolor 3
momentum 0 0 0
source_label r
save_serial_scidac_ks_source noise
vector_field
field_type KS
subset full
origin 0 0 0 2
load_source_serial noise
ncolor 3
momentum 1 0 0
source_label v
forget_source
wavefunction
field_type KS
subset full
origin 0 0 0 0
stride 2
source_label w
forget_source
number_of_modified_sources 2
source 0
momentum
momentum 0 1 0
op_label m
forget_source
source 2
identity
op_label i
forget_source
"""
NEW_SETS = ("number_of_sets 5\n" + one_set(0, [(0.05, 0, 1e-8), (0.1, -0.1, 1e-9)])
            + one_set(1, [(0.05, 0, 1e-8)]) + one_set(3, [(0.05, 0, 1e-8)])
            + one_set(4, [(0.05, 0, 1e-8)])
            + one_set(0, [(0.05, 0, 1e-8)]).replace("rel_error_for_propagator 0", "rel_error_for_propagator 1e-4"))
NEW_REST = """number_of_quarks 4
propagator 0
identity
op_label d
forget_ksprop
propagator 1
evenandodd_wall
op_label EO
save_serial_scidac_ksprop q.out
propagator 4
identity
op_label d
forget_ksprop
combine 2
quarks 0 1
coeffs 1 -1
forget_ksprop
number_of_mesons 5
pair 0 0
spectrum_request meson
save_corr_fnal c
r_offset 0 0 0 2
number_of_correlators 3
correlator P p000 1 * 1 pion5 0 0 0 EO EO EO
correlator R p000 1 * 3 rhox0 0 0 0 E E E
correlator S p000 1 * 1 pioni5 0 0 0 E E E
pair 1 1
spectrum_request meson
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator P p000 1 * 1 pion5 0 0 0 E E E
pair 0 2
spectrum_request meson
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator P p000 1 * 1 pion5 0 0 0 E E E
pair 0 1
spectrum_request meson
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator P p000 1 * 1 pion5 0 0 0 E E E
pair 1 1
spectrum_request meson
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator Q p000 1 * 1 pion05 0 0 0 E E E
number_of_baryons 2
triplet 0 0 0
spectrum_request baryon
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 2
correlator N 1 * 1 nucleon
correlator D 1 * 1 delta
triplet 0 0 1
spectrum_request baryon
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator N 1 * 1 nucleon
"""
many = (HEAD.replace("no_gauge_fix", "coulomb_gauge_fix").replace("coordinate_origin 0 0 0 0", "coordinate_origin 0 0 0 4")
        .replace("number_of_pbp_masses 0", "number_of_pbp_masses 1\nmax_cg_iterations 300\nmax_cg_restarts 5\nnpbp_reps 2\nprec_pbp 1\n"
                                                  "mass 0.03\nerror_for_propagator 1e-6\nrel_error_for_propagator 0")
        .replace("max_number_of_eigenpairs 0", "restart_lanczos 50\nNumber_of_eigenvals 10\nfresh_ks_eigen\nforget_ks_eigen")
        + NEW_SOURCES + NEW_SETS + NEW_REST)
obstacles = ["base source 2: 'wavefunction' ", "quark 2: propagator 4 ", "quark 3: 'combine' ",
             "meson 0: the meson 'pioni5' of S ", "meson 2: 'pair 0 2' needs ", "meson 3: 'pair 0 1' of two different sinks ",
             "meson 4: pion05 of Q vanishes", "baryon 0: the baryon 'delta' of D ", "baryon 1: 'triplet 0 0 1' needs "]
write("many.milc", many)
status, said, told = answer("import-milc", "many.milc")
verdict("import_milc_tells_all_obstacles_at_once",
        status == 1 and said == "" and f"these {len(obstacles) + 1} things cannot be expressed; --propagators-only leaves them out "
        "and stores the 7 propagators" in told.splitlines()[-1] and all(f": {o}" in told for o in obstacles), told)
status, said, told = answer("import-milc", "many.milc", "--propagators-only")
verdict("import_milc_translates_the_rest_and_lists_what_it_dropped",
        status == 0 and all(any(line.startswith("# dropped, line ") and f": {o}" in line for line in said.splitlines())
                            and f": {o}" in told for o in obstacles)
        and "set 3: propagator 4 needs source 4" in told
        and "  propagators: true\n  correlators: [pion5, rhox0]\n" in said
        and "  baryons: [nucleon]\n  condensate: true\n" in said
        and "pairs:\n  - {name: set0_1-set0_1-wall, quark: set0_1, antiquark: set0_1, sink: wall}\noutput" in re.sub("solver:(\n .*)*", "", said).replace("\n\n", "\n")
        and 'file: "l8816.1.coulomb.h5"' in said
        and "coulomb_gauge_fix: first run: naik gauge fix conf/l8816.1 -o l8816.1.coulomb.h5 --gauge coulomb" in told
        and "eigenpairs are neither made nor read nor saved" in said and "the boundary at t = 0" in said
        and "solved to rel_error_for_propagator 0.0001" in said and "site_relative_tolerance: 0.0001" in said, said + told)
noise = "      type: random_wall\n      t0: 2\n      noise: gaussian\n      seed: 44\n"
verdict("import_milc_makes_again_what_the_file_saves_and_loads",
        said.count(noise) == 5 and noise + "      momentum: [1, 0, 0]\n" in said and noise + "      momentum: [0, 1, 0]\n" in said, said)
write("same.milc", plain.replace("number_of_sets 1", "number_of_sets 2").replace("number_of_quarks 1", plain[
    plain.index("max_cg_iterations"):plain.index("number_of_quarks")] + "number_of_quarks 2\npropagator 1\nidentity\nop_label d\nforget_ksprop")
    .replace("pair 0 0", "pair 0 1"))
status, said, told = answer("import-milc", "same.milc")
verdict("import_milc_solves_once_what_is_asked_for_twice",
        status == 0 and said.count("  - name:") == 1 and "propagator 1 is solved already" in told, said + told)
only = plain[:plain.index("number_of_base_sources")] + (
    "number_of_base_sources 0\nnumber_of_modified_sources 0\nnumber_of_sets 0\nnumber_of_quarks 0\nnumber_of_mesons 0\nnumber_of_baryons 0\n")
write("none.milc", only)
status, said, told = answer("import-milc", "none.milc", "--propagators-only")
verdict("import_milc_refuses_a_file_without_propagators",
        (status, told) == (1, "naik: error: none.milc: no propagator is left that naik can solve\n"), told)
write("pbp.milc", only.replace("number_of_pbp_masses 0", """number_of_pbp_masses 3
max_cg_iterations 300
max_cg_restarts 5
npbp_reps 2
prec_pbp 1
mass 0.05
error_for_propagator 1e-6
rel_error_for_propagator 0
mass 0.1
error_for_propagator 1e-6
rel_error_for_propagator 0
mass 0.2
error_for_propagator 1e-7
rel_error_for_propagator 0"""))
status, said, told = answer("import-milc", "pbp.milc", "-o", "pbp.yaml", "--force")
noise = ["    source:\n      type: random_volume\n      noise: z2\n      seed: 4%d\n" % k for k in (2, 3)]
entries = ["  - name: pbp%s  # line LINE\n    masses: [%s]\n    tolerance: 1e-0%d\n" % e for e in
           (("0", "0.05, 0.1", 6), ("0_1", "0.2", 7), ("1", "0.05, 0.1", 6), ("1_1", "0.2", 7))]
verdict("import_milc_makes_the_condensate_by_noise",
        status == 0 and "".join(entries[k] + noise[k // 2] for k in range(4)) in body(open("pbp.yaml").read())
        and "  propagators: false\n  correlators: []\n  condensate: true\n" in open("pbp.yaml").read(), said + told)

# Inputs of ks_measure, which has no word for gauge fixing: condensates, and currents of thinned noise.
measure = only[:only.index("number_of_pbp_masses")].replace("no_gauge_fix\n", "")
MASSES = """number_of_pbp_masses {}
""".format
MASS = """mass {}
naik_term_epsilon {}
error_for_propagator {}
rel_error_for_propagator 0
""".format
STEPS = "max_cg_iterations 300\nmax_cg_restarts 5\nprec_pbp 2\n"
write("measure.milc", measure + "number_of_sets 2\nnpbp_reps 2\n" + STEPS + MASSES(2) + MASS(0.03, 0, 1e-9) + MASS(0.05, -0.1, 1e-9)
      + "npbp_reps 1\n" + STEPS + MASSES(1) + MASS(0.07, 0, 1e-8))
status, said, told = answer("import-milc", "measure.milc", "-o", "measure.yaml", "--force")
made = open("measure.yaml").read()
seeds = [int(n) for n in re.findall("seed: (.*)", made)]
verdict("import_milc_reads_the_condensates_of_ks_measure",
        status == 0 and re.findall("masses: (.*)", made) == ["[0.03, 0.05]", "[0.03, 0.05]", "[0.07]"] and len(set(seeds)) == 3
        and made.count("type: random_volume") == 3 and "naik_epsilon: [0, -0.1]" in made and "max_iterations: 1500" in made
        and "  propagators: false\n  correlators: []\n  condensate: true\n" in made and "makes no FACTION" in told, said + told + made)

CURRENT = "npbp_reps 2\nsource_spacing 2\ntake_truncate_diff no\n"
write("current.milc", measure.replace("max_number_of_eigenpairs 0", """max_number_of_eigenpairs 192
fresh_ks_eigen
save_serial_ks_eigen eig
Max_Rayleigh_iters 100""") + "number_of_sets 1\n" + CURRENT + STEPS + MASSES(1) + MASS(0.01, 0, 1e-8))
status, said, told = answer("import-milc", "current.milc", "-o", "current.yaml", "--force")
made = open("current.yaml").read()
verdict("import_milc_reads_the_currents_of_ks_measure_as_loops",
        status == 0 and made.count("      spacing: 2\n") == 2 and "  propagators: false\n  correlators: []\n"
        "  loops: [GX-G1, GY-G1, GZ-G1, GT-G1]\n" in made and "imaginary parts of the loops" in told
        and "eigenpairs are neither made" in told and "differences" not in told, said + told + made)
plain_current, bad = open("current.milc").read(), []
write("currents.milc", plain_current.replace(MASSES(1), MASSES(2)) + MASS(0.02, 0, 1e-8))
status, said, told = answer("import-milc", "currents.milc")
verdict("import_milc_notes_that_milc_subtracts_the_currents_of_several_masses", status == 0 and "masses: [0.01, 0.02]" in said and
        ": currents of 2 masses: MILC writes differences of masses, which its headings name (MASS a minus MASS b), naik the loops" in said, said)
for old, new, wanted in (
        ("take_truncate_diff no", "take_truncate_diff yes", "'take_truncate_diff yes' cannot be expressed: naik makes no loops of sloppy noise"),
        ("take_truncate_diff no", "take_truncate_diff maybe", "'take_truncate_diff' must be yes or no, not 'maybe'"),
        ("source_spacing 2", "source_spacing 3", "'source_spacing 3' cannot be expressed: it does not divide"),
        ("source_spacing 2", "source_spacing 1", "'source_spacing'"),
        ("staple_weight 0\nape_iter 0", "staple_weight 0.1\nape_iter 4", "currents cannot be expressed: MILC smears their links"),
        ("mass 0.01\nnaik_term_epsilon 0\n", "mass 0.01\nnaik_term_epsilon 0\ncharge 0.5\n", "'charge 0.5' cannot be expressed"),
        ("number_of_sets 1\n", "number_of_sets 2\nnpbp_reps 1\n" + STEPS + MASSES(1) + MASS(0.1, 0, 1e-8), "are of two programs"),
        ("antiperiodic\n", "antiperiodic\ntadpole 0.9\n", "expected 'number_of_sets', found 'tadpole'; naik translates inputs of"),
        ("forget\n", "forget\nno_gauge_fix\n", "found 'no_gauge_fix'")):
    assert old in plain_current, old
    write("current.milc", plain_current.replace(old, new))
    status, said, told = answer("import-milc", "current.milc")
    if status != 1 or wanted not in told:
        bad.append((new, status, told))
verdict("import_milc_says_what_of_ks_measure_it_cannot_translate", not bad, "\n".join(map(str, bad)))

# Sources that MILC writes in more than one way.
for old, new, wanted in (
        ("point\nsubset full\norigin 0 0 0 0", "corner_wall_zx\nsubset full\nt0 3", "corner_wall\n      t0: 3\n      corner: [1, 0, 1]\n"),
        ("point\nsubset full\norigin 0 0 0 0", "random_complex_wall\nsubset corner\nt0 3\nmomentum 0 1 0",
         "random_wall\n      t0: 3\n      noise: u1\n      seed: 42\n      subset: corner\n      momentum: [0, 1, 0]\n")):
    assert old in plain
    write("source.milc", plain.replace(old, new))
    status, said, told = answer("import-milc", "source.milc")
    verdict(f"import_milc_knows_{new.split()[0]}_{new.split()[2]}", status == 0 and "      type: " + wanted in said, said + told)

# Where MILC counts from: momenta from coordinate_origin, or from the origin of a stanza that reads; correlators of a source from a file
# from (0, 0, 0, 0) in naik; baryons and means of lines as MILC writes them. Old and new text, an option, exit status, what is said, what is not.
wall = ("point\nsubset full\norigin 0 0 0 0", "{}\nsubset full\nt0 3")
turned = ("number_of_modified_sources 0", "number_of_modified_sources 1\nsource 0\nmomentum\nmomentum {}\nop_label m\nforget_source")
used = ("precision 2\nsource 0", "precision 2\nsource 1")
moved = ("coordinate_origin 0 0 0 0", "coordinate_origin 2 4 0 0")
READ = ("random_color_wall\nsubset full\nt0 2\nncolor 3\nmomentum 0 0 0\nsource_label r\nsave_serial_scidac_ks_source n\n"
        "vector_field\nsubset full\norigin {}\nload_source_serial n\nncolor 3\nmomentum {}")
read = ("number_of_base_sources 1\npoint\nsubset full\norigin 0 0 0 0", "number_of_base_sources 2\n" + READ)
nucleon = ("number_of_baryons 0", "number_of_baryons 1 triplet 0 0 0 spectrum_request baryon forget_corr r_offset 0 0 0 {} "
           "number_of_correlators 1 correlator N 1 * 1 nucleon")
lines = ("number_of_correlators 1\ncorrelator PION_5 p000 1 * 1 pion5 0 0 0 E E E",
         "number_of_correlators 3\n" + "".join(f"correlator R {k} 1 * 3 {n} 0 0 0 E E E\n" for n, k in (("rhox", "p"), ("rhoy", "q"), ("rhoz", "{}"))))
weights = ("number_of_correlators 1\ncorrelator PION_5 p000 1 * 1 pion5 0 0 0 E E E", "number_of_correlators 2\n"
           "correlator P p110 1 * 1 pion5 1 1 0 EO EO E\ncorrelator R p100 1 * 1 {} 1 0 0 E E E")
loaded = ("point\nsubset full\norigin 0 0 0 0", "vector_field\nsubset full\norigin {0}\nload_source_serial a\nncolor 3\nmomentum 0 0 0")
offset, rhox = ("r_offset 0 0 0 0", "r_offset 1 0 0 4"), ("1 * 1 pion5", "1 * 1 rhox")
counts, slice_, mean = "this momentum cannot be expressed: MILC counts it from coordinate_origin", "from this origin: MILC applies it", "MILC writes the mean"


def changed(name, text, changes, exits, wanted, never):
    """[] where the translation of the changed text ends and says as it should, else what it did."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    write(name, text)
    status, said, told = answer("import-milc", name)
    as_wanted = status == exits and wanted in said + told and never not in said + told
    return [] if as_wanted else [f"{name} {changes} {status} {said[-300:]} {told}"]


def put(pair, *values):
    return pair[0], pair[1].format(*values)


wrong = []
for changes, exits, wanted, never in (
        ([put(wall, "evenandodd_wall"), put(turned, "1 0 0"), used], 0, "momentum: [1, 0, 0]", counts),
        ([put(wall, "evenandodd_wall"), put(turned, "1 0 0"), used, moved], 1, counts, "momentum: "),
        ([put(wall, "evenandodd_wall"), put(turned, "4 -2 1"), used, moved], 0, "momentum: [4, -2, 1]", counts),
        ([put(wall, "corner_wall_x"), put(turned, "1 0 0"), used], 1, counts, "momentum: "),
        ([put(wall, "corner_wall_x"), put(turned, "0 1 0"), used], 0, "momentum: [0, 1, 0]", counts),
        ([put(read, "0 0 0 2", "1 0 0"), used], 0, "momentum: [1, 0, 0]", slice_),
        ([put(read, "0 0 0 3", "1 0 0"), used], 1, slice_, "momentum: "),
        ([put(read, "1 0 0 2", "1 0 0"), used], 1, slice_, "momentum: "),
        ([put(read, "0 0 0 3", "0 0 0"), used], 0, "t0: 2", slice_),
        ([put(read, "0 0 0 3", "0 0 0"), put(turned, "1 0 0"), ("modified_sources 1\nsource 0", "modified_sources 1\nsource 1"),
          ("precision 2\nsource 0", "precision 2\nsource 2")], 1, "that was read with another origin", "momentum: "),
        ([put(loaded, "1 0 0 4"), offset, rhox], 0, "  origin: [1, 0, 0, 4]\n", "beside those before it"),
        ([put(loaded, "1 0 0 4"), rhox], 0, "correlators: [rhox]", "  origin: ["),
        ([put(nucleon, 4)], 0, "r_offset: on the slices t below 4 MILC's baryons are minus naik's", "below 0"),
        ([put(nucleon, 16)], 0, "correlators run over t of the lattice", "MILC's baryons are minus"),
        ([put(weights, "rhox")], 0, "the real part is parity E", "others than those"),
        ([put(weights, "GX-G1")], 1, "of R are others than those before it", "the real part is"),
        ([put(lines, "q")], 0, ": R q: " + mean, ": R p: "), ([put(lines, "r")], 0, "correlators: [rhox, rhoy, rhoz]", mean)):
    wrong += changed("counts.milc", plain, changes, exits, wanted, never)
verdict("import_milc_counts_momenta_and_correlators_from_where_milc_does", not wrong, "\n".join(wrong))

# A boundary that coordinate_origin moves, beside sources on its sides; where branches of MILC count mesons. Stanzas of two sources, what is
# replaced, exit status, what is said, what is not.
POINT_AT, FILE_AT = "point\nsubset full\norigin 0 0 0 {}", "vector_field\nsubset full\norigin 0 0 0 {}\nload_source_serial {}\nncolor 3\nmomentum 0 0 0"
LABEL = "\nsource_label s\nforget_source\n"
solves, quark = plain[plain.index("max_cg_iterations"):plain.index("number_of_quarks")], "propagator {}\nidentity\nop_label d\nforget_ksprop\n"
sides, taken = "of sources on both sides of the boundary cannot be expressed: coordinate_origin moves it to t = 4,", "is taken to lie on time slice"
moves, nucleons = ("coordinate_origin 0 0 0 0", "coordinate_origin 0 0 0 {}"), "propagators and nucleons have the other sign where"
three = ("number_of_baryons 0", "number_of_baryons 1\ntriplet 0 0 1\nspectrum_request baryon\nforget_corr\nr_offset 0 0 0 0\nnumber_of_correlators 0")
branches, there = "its branch develop since May 2023 counts mesons from coordinate_origin", ("coordinate_origin 0 0 0 0", "coordinate_origin 2 0 0 0")


def two(*of):
    return (plain.replace("number_of_base_sources 1\npoint\nsubset full\norigin 0 0 0 0" + LABEL.replace(" s", " d", 1),
                          f"number_of_base_sources {len(of)}" + "".join("\n" + s + LABEL[:-1] for s in of) + "\n")
            .replace("number_of_sets 1\n" + solves, f"number_of_sets {len(of)}\n" + "".join(solves.replace("source 0", f"source {k}") for k in range(len(of))))
            .replace("number_of_quarks 1\n" + quark.format(0), f"number_of_quarks {len(of)}\n" + "".join(quark.format(k) for k in range(len(of))))
            .replace("pair 0 0", f"pair 0 {len(of) - 1}"))


wrong = []
one_point = [POINT_AT.format(6)]
for of, changes, exits, wanted, never in (
        ([FILE_AT.format(6, "a"), POINT_AT.format(6)], [put(moves, 4)], 0, "'pair 0 1': a " + taken + " 6 of its origin", sides),
        ([FILE_AT.format(2, "a"), FILE_AT.format(8, "b")], [put(moves, 4)], 1, "meson 0: 'pair 0 1' " + sides, taken),
        ([FILE_AT.format(6, "a"), FILE_AT.format(8, "b")], [], 0, "correlators: [pion5]", taken),
        ([FILE_AT.format(6, "a"), FILE_AT.format(8, "b")], [put(moves, 4)], 0, nucleons, sides),
        ([FILE_AT.format(6, "a"), FILE_AT.format(8, "b")], [put(moves, -12)], 0, nucleons, sides),
        ([POINT_AT.format(6), POINT_AT.format(8)], [put(moves, 4)], 1, "its mean vanishes: they lie on different time slices", sides),
        ([POINT_AT.format(3), POINT_AT.format(4)], [put(moves, 4)], 1, "meson 0: 'pair 0 1' " + sides, taken),
        ([POINT_AT.format(3), POINT_AT.format(4)], [put(moves, -12)], 1, "meson 0: 'pair 0 1' " + sides, taken),
        ([FILE_AT.format(3, "a"), FILE_AT.format(4, "b")], [put(moves, 16)], 0, "correlators: [pion5]", nucleons),
        ([FILE_AT.format(3, "a"), FILE_AT.format(4, "b")], [put(moves, 4), ("time_bc antiperiodic", "time_bc periodic")], 0, "correlators: [pion5]", nucleons),
        ([POINT_AT.format(3), POINT_AT.format(4)], [put(moves, 4), ("pair 0 1", "pair 0 0"), three], 1, "baryon 0: 'triplet 0 0 1' " + sides, taken),
        (one_point, [there, ("r_offset 0 0 0 0", "r_offset 1 0 0 6"), rhox], 0, ": PION_5: counted from r_offset, as by MILC's branch master; " + branches, sides),
        (one_point, [there, ("r_offset 0 0 0 0", "r_offset 0 0 0 6"), rhox], 0, "correlators: [rhox]", branches),
        (one_point, [("r_offset 0 0 0 0", "r_offset 1 0 0 6")], 0, "correlators: [pion5]", branches),
        (one_point, [there, ("pion5 0 0 0 E E E", "pion5 1 0 0 EO E E")], 0, branches, sides),
        (one_point, [there, ("pion5 0 0 0 E E E", "pion5 4 1 0 EO EO E")], 0, "momenta: [[4, 1, 0]]", branches)):
    wrong += changed("sides.milc", two(*of), changes, exits, wanted, never)
verdict("import_milc_knows_the_sides_of_a_moved_boundary_and_the_branches_of_milc", not wrong, "\n".join(wrong))

# Sets that differ in the place of their source alone share an entry of solve, unless a hadron joins two of the places.
WALL_AT, NOISE_AT = "{}\nsubset full\nt0 {}", "random_color_wall\nsubset full\nt0 {}\nncolor 3\nmomentum 0 0 0"
itself, points = ("pair 0 1", "pair 1 1"), [POINT_AT.format(t) for t in (6, 8)]
wrong = []
for of, changes, wanted, never in (
        (points, [itself], "  - name: set0  # line 40\n", "set1"), (points, [itself], "      origin: [[0, 0, 0, 6], [0, 0, 0, 8]]\n", "pairs:"),
        ([POINT_AT.format(6)] + [POINT_AT.format(6).replace("0 0 0", "2 4 0")], [("mass 0.05", "mass 0.06"), itself], "name: set1 ", "origin: [["),
        ([POINT_AT.format(6)] + [POINT_AT.format(6).replace("0 0 0", "2 4 0")], [], "  - {name: set1-set0, quark: set1, antiquark: set0}\n", "origin: [["),
        ([POINT_AT.format(6)] + [POINT_AT.format(6).replace("0 0 0", "2 4 0")], [("\nerror_for_propagator 1e-8", "\nerror_for_propagator 1e-7"), itself], "name: set1 ", "origin: [["),
        ([WALL_AT.format("evenandodd_wall", t) for t in (3, 7)], [itself], "      t0: [3, 7]\n", "set1"),
        ([WALL_AT.format("evenandodd_wall", 3), WALL_AT.format("even_wall", 7)], [itself], "name: set1 ", "[3, 7]"),
        ([NOISE_AT.format(t) for t in (3, 7)], [itself], "name: set1 ", "[3, 7]")):
    wrong += changed("places.milc", two(*of), changes, 0, wanted, never)
verdict("import_milc_gives_sets_of_several_places_one_entry", not wrong, "\n".join(wrong))

# A twisted quark of a smeared source, with smeared sinks beside an untwisted one.
smeared = plain.replace("number_of_modified_sources 0", "number_of_modified_sources 1\nsource 0\ncovariant_gaussian\nstride 2\nr0 1.5\n"
                        "source_iters 8\nop_label g\nforget_source")
one = plain[plain.index("max_cg_iterations"):plain.index("number_of_quarks")]
smeared = smeared.replace("number_of_sets 1\n", "number_of_sets 3\n")
smeared = smeared.replace(one, one.replace("source 0", "source 1") + one.replace("source 0", "source 1").replace(
    "momentum_twist 0 0 0", "momentum_twist 1 -0.5 0") + one.replace("momentum_twist 0 0 0", "momentum_twist 2 0 0"))
sunk = "covariant_gaussian\nstride 2\nr0 1.25\nsource_iters 6\n"
smeared = smeared.replace("number_of_quarks 1\npropagator 0\nidentity\n", "number_of_quarks 3\n" + "".join(
    f"propagator {k}\n{sunk}op_label d\nforget_ksprop\n" for k in (0, 1)) + "propagator 2\nidentity\n")
smeared = smeared.replace("pair 0 0", "pair 0 1")
write("smeared.milc", smeared)
status, said, told = answer("import-milc", "smeared.milc")
verdict("import_milc_knows_smearing_and_twists", status == 0 and body(said).count("""      type: covariant_gaussian
      origin: [0, 0, 0, 0]
      radius: 1.5
      iterations: 8
""") == 2 and """    twist: [0.5, -0.25, 0]
""" in said and """    twist: [1, 0, 0]
    tolerance: 1e-08
    source:
      type: point
""" in said and """pairs:
  - {name: set1-set0-smeared1, quark: set1, antiquark: set0, sink: covariant_gaussian, radius: 1.25, iterations: 6}
""" in said, said + told)
status, said, told = answer("import-milc", "smeared.milc", "-o", "smeared.yaml")
status, said, told = answer("solve", "smeared.yaml", "--dry-run", "--machine", "perlmutter")
verdict("import_milc_writes_what_solve_takes_of_them", status == 0, said + told)


# Inputs of the structure of MILC's 32 samples (ks_spectrum/test), which come in two precisions each.
def sources(*base):
    return f"number_of_base_sources {len(base)}\n" + "".join(b + "\n" for b in base)


def base(kind, extra=""):
    place = "origin 0 0 0 0" if kind == "point" else "t0 0"
    return f"{kind}\nsubset full\n{place}\n{extra}source_label s\nforget_source"


def modified(*operations):
    return f"number_of_modified_sources {len(operations)}\n" + "".join(f"source {k}\n{op}\nop_label m\nforget_source\n" for k, op in operations)


def sets(hisq, *of, check="yes"):
    text = f"number_of_sets {len(of)}\n"
    for source, masses in of:
        text += f"max_cg_iterations 300\nmax_cg_restarts 5\ncheck yes\nmomentum_twist 0 0 0\ntime_bc antiperiodic\nprecision 2\nsource {source}\nnumber_of_propagators {len(masses)}\n"
        for m, error in masses:
            text += f"mass {m}\n" + (f"naik_term_epsilon {-0.1 if m > 0.06 else 0}\n" if hisq else "")
            text += f"error_for_propagator {error}\nrel_error_for_propagator 0\nfresh_ksprop\nforget_ksprop\n"
    return text


def quarks(*of):
    return f"number_of_quarks {len(of)}\n" + "".join(f"propagator {k}\n{sink}\nop_label d\nforget_ksprop\n" for k, sink in of)


LOCAL = "pion5 G1-G1 rhox rhoy rhoz rhox0 rhoy0 rhoz0".split()


def mesons(*of):
    text = f"number_of_mesons {len(of)}\n"
    for a, b, names in of:
        text += f"pair {a} {b}\nspectrum_request meson\nsave_corr_fnal c\nr_offset 0 0 0 0\nnumber_of_correlators {len(names)}\n"
        text += "".join(f"correlator L p000 1 * 3 {n} 0 0 0 E E E\n" for n in names)
    return text


def triplets(*of):
    text = f"number_of_baryons {len(of)}\n"
    for a, b, c, names in of:
        text += f"triplet {a} {b} {c}\nspectrum_request baryon\nsave_corr_fnal c\nr_offset 0 0 0 0\nnumber_of_correlators {len(names)}\n"
        text += "".join(f"correlator B 1 / 64 {n}\n" for n in names)
    return text


def sample(family, hisq):
    pbp = "number_of_pbp_masses 0\n"
    some = f"number_of_pbp_masses 2\nmax_cg_iterations 300\nmax_cg_restarts 5\nnpbp_reps 2\nprec_pbp 1\n" + "".join(
        f"mass {m}\n{'naik_term_epsilon 0' if hisq else ''}\nerror_for_propagator 1e-6\nrel_error_for_propagator 0\n" for m in (0.03, 0.05))
    head = HEAD[:HEAD.index("number_of_pbp")].replace("no_gauge_fix", "coulomb_gauge_fix")
    one, two = [(0.05, 1e-8)], [(0.005, 1e-8), (0.07, 1e-14)]
    wall, both = "evenandodd_wall", ("identity", "evenandodd_wall")
    random = base("random_color_wall", "ncolor 3\nmomentum 0 0 0\n")
    if family == "fpi":
        pairs = [(a + 2 * k, b + 2 * k, ["pion5"]) for a, b in ((0, 0), (0, 1), (1, 1)) for k in (0, 2, 1, 3)]
        return (head + pbp + sources(random, base(wall)) + modified() + sets(hisq, (0, two), (1, two))
                + quarks(*[(k, sink) for sink in both for k in range(4)]) + mesons(*pairs) + triplets())
    if family == "periodic":
        pairs = [(a + k, b + k, ["pion5"]) for a, b in ((0, 0), (0, 1), (1, 1)) for k in (0, 2)]
        return (head.replace("antiperiodic", "periodic") + pbp + sources(base("point")) + modified()
                + sets(hisq, (0, two)).replace("time_bc antiperiodic\n", "").replace("forget_ksprop", "save_serial_fm_ksprop p")
                + quarks(*[(k, sink) for sink in both for k in range(2)]) + mesons(*pairs) + triplets())
    if family == "nd":
        three = [(0.03, 1e-8), (0.05, 1e-8), (0.07, 1e-14)]
        return (head + pbp + sources(base("corner_wall")) + modified() + sets(hisq, (0, three)) + quarks(*[(k, "identity") for k in range(3)])
                + mesons(*[(a, b, LOCAL) for a in range(3) for b in range(a, 3)])
                + triplets(*[(a, b, c, ["nucleon"]) for a in range(3) for b in range(a, 3) for c in range(b, 3)]))
    if family == "nl":
        return (head + pbp + sources(base("even_wall"), base(wall), base("evenminusodd_wall")) + modified()
                + sets(hisq, (0, one), (1, one), (2, one)) + quarks(*[(k, "identity") for k in range(3)])
                + mesons((0, 0, LOCAL[:2]), (1, 1, LOCAL[:1]), (2, 2, LOCAL[:1]), (1, 2, LOCAL[1:2]))
                + triplets((0, 0, 0, ["nucleon"]), (1, 1, 1, ["nucleon", "delta"])))
    if family == "nlpi2":
        return (head + pbp + sources(base(wall)) + modified((0, "funnywall1"), (0, "funnywall2"))
                + sets(hisq, (0, one), (1, one), (2, one)) + quarks(*[(k, "identity") for k in range(3)])
                + mesons((0, 1, ["pion5", "pioni5", "pions", "rhois"]), (0, 2, ["pion05", "pionij", "rhoi0", "rho0"])) + triplets())
    if family == "spectrum2":
        return (head + some + sources(base("corner_wall")) + modified((0, "identity")) + sets(hisq, (0, [(0.03, 1e-6), (0.05, 1e-6)]))
                + quarks((0, "identity"), (1, "identity")) + mesons((0, 0, LOCAL), (1, 1, LOCAL))
                + triplets((0, 0, 0, ["nucleon"]), (1, 1, 1, ["nucleon"])))
    if family == "mu_eos":
        return head + some + sources() + modified() + "number_of_sets 0\nnumber_of_quarks 0\n" + mesons() + triplets()
    # deflate, eigcg: noise that is saved, then read again by a second calculation
    eigen = {"deflate": "Number_of_eigenvals 10\nMax_Rayleigh_iters 100\nfresh_ks_eigen\nsave_serial_ks_eigen e\n",
             "eigcg": "max_number_of_eigenpairs 500\nfresh_ks_eigen\nsave_serial_ks_eigen e\nrestart_lanczos 50\n"}[family]
    head = head.replace("max_number_of_eigenpairs 0\n", eigen)
    saved = random.replace("forget_source", "save_serial_scidac_ks_source src")
    read = "vector_field\nsubset full\norigin 0 0 0 0\nload_source_serial src\nncolor 3\nmomentum 0 0 0\nsource_label r\nforget_source"
    rest = (modified((1, "spin_taste\nspin_taste rhox")) + sets(hisq, (0, one), (1, one), (2, one)).replace("check yes", "check sourceonly", 1)
            + quarks((1, "identity"), (2, "identity")) + mesons((0, 0, ["pion5"]), (0, 1, ["rhox"])) + triplets())
    second = head[head.index("reload"):].replace("reload_parallel conf/l8816.1", "continue").replace("coulomb_gauge_fix", "no_gauge_fix")
    return head + pbp + sources(saved, base("point")) + rest + second + pbp + sources(read, base("point")) + rest


told_of, whole = {}, 0
for family in "fpi periodic nd nl nlpi2 spectrum2 mu_eos deflate eigcg".split():
    for hisq in (False, True):
        write("sample.milc", sample(family, hisq))
        status, said, told_of[family, hisq] = answer("import-milc", "sample.milc", "-o", f"{family}.whole.yaml", "--force")
        whole += (status == 0) * (1 if family in ("deflate", "eigcg") else 2)
verdict("import_milc_translates_what_samples_ask_for", whole == 32, str(whole) + "\n".join(told_of.values()))
walls = told_of["nlpi2", True]
text = open("nlpi2.whole.yaml").read()
verdict("import_milc_makes_funny_walls", "funnywall" not in walls
        and "      type: funnywall1\n      t0: 0\n" in text and "      type: funnywall2\n      t0: 0\n" in text
        and "quark: set1, antiquark: set0}" in text and "  correlators: [pion5, pion05, rhoz0, G1-GZ, G1-G5T, GZ-G1, GZT-GT, G5-G5Z]\n" in text, walls + text)
pbp, vector = "number_of_pbp_masses 0\n", base("point").replace("0 0 0 0", "1 2 2 1")
write("vector.milc", HEAD[:HEAD.index("number_of_pbp")] + pbp + sources(vector) + modified((0, "spin_taste\nspin_taste GX-G1"), (0, "spin_taste\nspin_taste rhox"))
      + sets(True, *[(k, [(0.05, 1e-8)]) for k in range(3)]) + quarks(*[(k, "identity") for k in range(3)]) + mesons((0, 1, ["GX-G1", "pioni5"])).replace("r_offset 0 0 0 0", "r_offset 1 2 2 1") + triplets())
status, said, told = answer("import-milc", "vector.milc", "-o", "vector.yaml")
text = open("vector.yaml").read() if status == 0 else ""
verdict("import_milc_puts_operators_on_sources", status == 0 and "      origin: [1, 2, 2, 1]\n      spin_taste: GX-G1\n" in text and text.count("spin_taste:") == 1
        and "quark: set1, antiquark: set0}" in text and "  correlators: [GX-G1, G5-G5Z]\n" in text
        and re.search("spin_taste GX-G1 counts from the source: naik's propagator is minus MILC's", text) and "is minus G5-G5Z" in text, told + text)
write("ape.milc", sample("nlpi2", True).replace("staple_weight 0", "staple_weight 0.05").replace("ape_iter 0", "ape_iter 20"))
status, said, told = answer("import-milc", "ape.milc")
verdict("import_milc_knows_whether_funny_walls_have_smeared_links", status == 1 and told.count(" of smeared links cannot be expressed") == 2, told)
text = open("nl.whole.yaml").read()
verdict("import_milc_makes_the_delta", "  baryons: [nucleon, delta_coulomb]\n" in text and "MILC's delta is 8 times the real part" in text, text)
text = open("nd.whole.yaml").read()
verdict("import_milc_mixes_masses", """pairs:
  - {name: set0-set0, quark: set0, antiquark: set0}
  - {name: set0_1-set0, quark: set0_1, antiquark: set0}
baryons:
  - {name: set0-set0-set0, quarks: [set0, set0, set0]}
  - {name: set0-set0-set0_1, quarks: [set0, set0, set0_1]}
  - {name: set0-set0_1-set0_1, quarks: [set0, set0_1, set0_1]}
""" in text and "  baryons: [nucleon]\n" in text, text)
text = open("fpi.whole.yaml").read()
verdict("import_milc_makes_wall_sinks", "  - {name: set1_1-set1-wall, quark: set1_1, antiquark: set1, sink: wall}\n" in text
        and "  - {name: set1_1-set1, quark: set1_1, antiquark: set1}\n" in text
        and "without the sum over nx ny nz equal sites of the sink" in text, text)

# The steps that it names, on a lattice that takes no time.
small = sample("nd", True)
for n in "nx 8", "ny 8", "nz 8", "nt 16":
    small = small.replace(n, n[:3] + "4", 1)
write("small.milc", small.replace("conf/l8816.1", "conf.h5").replace("mass 0.0", "mass 0."))
answer("gauge", "generate", "--size", "4,4,4,4", "--beta", "5.8", "--seed", "3", "--sweeps", "5", "-o", "conf.h5")
status, said, told = answer("import-milc", "small.milc", "-o", "small.yaml")
for step in re.findall("^    naik (.*)$", said, re.M):
    status, said, more = answer(*step.replace(" --dry-run", "").split())
    told += more if status else ""
correlators = re.findall("^# (.*)$", answer("info", "small.h5", "--correlators")[1], re.M)
verdict("import_milc_names_the_steps_of_a_run", status == 0 and any(
    c.startswith("nucleon source=set0 mass=0.3 naik_epsilon=0 second=set0 second_mass=0.5 second_naik_epsilon=0 third=set0_1 third_mass=0.7")
    for c in correlators) and any(c.startswith("rhox source=set0_1 mass=0.7 naik_epsilon=-0.1 antiquark=set0 antiquark_mass=0.5") for c in correlators),
        told + "\n".join(correlators))

# As many sources, quarks and momenta as there is room for, and one more.
QUARK = "propagator 0\nidentity\nop_label d\nforget_ksprop\n"
POINT = "point\nfield_type KS\nsubset full\norigin 1 2 3 4\nsource_label p\nforget_source\n"
PAIR = "pair 0 0\nspectrum_request meson\nforget_corr\nr_offset 1 2 3 4\nnumber_of_correlators %d\n%s"


def calculation(sources=1, quarks=1, momenta=1):
    moving = [(x - 4, y - 4, z) for z in (1, 2, 3) for y in range(9) for x in range(9)][:momenta]
    lines = "".join(f"correlator PION_5 p 1 * 1 pion5 {x} {y} {z} {' '.join('EO' if q else 'E' for q in (x, y, z))}\n" for x, y, z in moving)
    return (HEAD[HEAD.index("reload_parallel"):] + f"number_of_base_sources {sources}\n" + POINT * sources
            + "number_of_modified_sources 0\nnumber_of_sets 1\n" + one_set(0, [(0.05, 0, 1e-8)]) + f"number_of_quarks {quarks}\n" + QUARK * quarks
            + "number_of_mesons 1\n" + PAIR % (momenta, lines) + TAIL)


begin = HEAD[:HEAD.index("reload_parallel")]
for name, fits, beyond, wanted in (
        ("sources", [{"sources": 1000}], [{"sources": 999}, {"sources": 2}], "more than 1000 sources"),
        ("quarks", [{"quarks": 4999}, {"quarks": 1}], [{"quarks": 4999}, {"quarks": 2}], "more than 5000 quarks"),
        ("momenta", [{"momenta": 200}], [{"momenta": 201}], "more than 200 momenta")):
    ends = []
    for calculations in (fits, beyond):
        write("many.milc", begin + "".join(calculation(**c) for c in calculations))
        ends.append(answer("import-milc", "many.milc"))
    verdict("import_milc_has_room_for_" + name, ends[0][0] == 0 and ends[1][0] == 1 and wanted in ends[1][2], ends[0][2][-300:] + ends[1][2][-300:])

write("one.milc", begin + calculation())
status, said, told = answer("import-milc", "one.milc", "-o", "one.yaml")
verdict("import_milc_tells_one_propagator_as_one", status == 0 and "wrote one.yaml: 1 propagator, 0 things dropped; next:" in said, said + told)

# Cut anywhere, and with any byte damaged, it ends with a sentence or a valid input.
wrong = []
step = 1 if os.environ.get("NAIK_TEST_LONG") else 479
for at in range(0, len(plain), step):
    for text in (plain[:at], plain[:at] + "\x01" + plain[at + 1:], plain[:at] + "x" * 300 + plain[at:]):
        write("cut.milc", text)
        status, said, told = answer("import-milc", "cut.milc")
        good = status == 0 and said.startswith("# Translated")
        bad = status == 1 and told.splitlines()[-1].startswith("naik: error: ")
        if not good and not bad:
            wrong.append(f"{at}: {status} {told}")
verdict("import_milc_survives_damaged_files", not wrong, "\n".join(wrong[:5]))
finish()

# test_import_milc.py - `naik import-milc`: what it writes is what was asked for, the rest refused
# timeout: 600
import os

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
         "of PION_5 at 1 0 0 the real part is written (parity E)", "p.out: all propagators go into output.file"]
verdict("import_milc_notes_what_it_leaves_out",
        all(f"naik: warning: line {line}: {note}" in told and f"# line {line}: {note}" in got
            for note in notes
            for line in [1 + WHOLE.splitlines().index(next(
                x for x in WHOLE.splitlines()
                if x.startswith({"r": "momentum 0 1 -1", "P": "correlator PION_5 p100",
                                 "o": "correlator PION_5 p100",
                                 "p": "save_serial"}[note[0]])))]), told)

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
again = plain[plain.index("reload_parallel"):].replace("reload_parallel conf/l8816.1", "continue")
write("two.milc", plain + again.replace("origin 0 0 0 0\nsource", "origin 0 0 0 8\nsource"))
status, said, told = answer("import-milc", "two.milc")
verdict("import_milc_joins_calculations_on_one_configuration",
        status == 0 and "name: set0 " in said and "name: set1 " in said
        and "origin: [0, 0, 0, 8]" in said and "type: asqtad\n  u0: 0.8696" in said
        and "two.h5" in said, said + told)
status, said, told = answer("import-milc", "two.milc", "--action", "naive")
verdict("import_milc_takes_the_action_from_the_user",
        status == 0 and "type: naive\nsolve" in said, said + told)

# What replaces what in `plain`, and the sentence; the line is where the replacement stands.
ROWS = """no_gauge_fix|coulomb_gauge_fix|gauge field: 'coulomb_gauge_fix' cannot be expressed; naik fixes no gauge: give it the fixed configuration and write no_gauge_fix here
forget~|save_parallel x~|gauge field: 'save_parallel' cannot be expressed; `naik gauge convert` writes configurations, write forget here
reload_parallel conf/l8816.1|fresh|gauge field: 'fresh' cannot be expressed; naik reads a configuration from a file (reload_serial, reload_parallel)
coordinate_origin 0 0 0 0|coordinate_origin 0 0 0 1|gauge field: a coordinate_origin that is odd cannot be expressed: the phases of naik begin at 0 0 0 0
time_bc antiperiodic|time_bc both|gauge field: 'time_bc' must be antiperiodic or periodic, not 'both'
number_of_pbp_masses 0|number_of_pbp_masses 2 mass 0.1|condensate: 'number_of_pbp_masses 2' cannot be expressed; naik measures no condensate
point~|fat_covariant_gaussian~|base source 0: 'fat_covariant_gaussian' cannot be expressed; naik has point, corner_wall, even_wall, evenandodd_wall, evenminusodd_wall, gaussian, random_color_wall, vector_field
subset full|subset corner|base source 0: 'subset corner' cannot be expressed, only 'subset full'
subset full|subst full|base source 0: expected 'subset', found 'subst'
origin 0 0 0 0~source|origin 0 0 0 16~source|base source 0: t = 16 lies outside the lattice
origin 0 0 0 0~source|origin 0 0 0 x~source|base source 0: 'origin' must be an integer from 0 to 32767, not 'x'
source_label d|scale_factor 2 source_label d|base source 0: 'scale_factor 2' cannot be expressed
number_of_modified_sources 0|number_of_modified_sources 1 source 0 hopping op_label h forget_source|modified source 1: the operation 'hopping' on a source cannot be expressed, only identity and momentum
number_of_modified_sources 0|number_of_modified_sources 1 source 0 spin_taste spin_taste pions op_label h forget_source|modified source 1: 'spin_taste pions' of this source cannot be expressed, only of a point where all coordinates are even, with a local meson
number_of_modified_sources 0|number_of_modified_sources 1 source 0 momentum momentum 1 0 0 op_label h forget_source|modified source 1: a momentum of a point, gaussian or file source cannot be expressed
check yes|check maybe|set 0: 'check' must be yes, no or sourceonly, not 'maybe'
momentum_twist 0 0 0|momentum_twist 0 0 0.5|set 0: a momentum_twist other than 0 0 0 cannot be expressed
precision 2|time_bc periodic precision 2|set 0: two time_bc in one file cannot be expressed; make two inputs
precision 2|precision 2 charge 1|set 0: 'charge 1' cannot be expressed
mass 0.05|mass -0.05|set 0: 'mass' must be above 0, not '-0.05'
mass 0.05|mass nan|set 0: 'mass' must be a number, not 'nan'
error_for_propagator 1e-8~|error_for_propagator 0~|set 0: one of error_for_propagator and rel_error_for_propagator must be above 0
fresh_ksprop|stale_ksprop a|set 0: expected 'fresh_ksprop' or 'reload_...', found 'stale_ksprop'
propagator 0~identity|propagator 1~identity|quark 0: 'propagator' must be an integer from 0 to 0, not '1'
identity~op_label d|evenandodd_wall~op_label d|quark 0: the sink operation 'evenandodd_wall' cannot be expressed, only identity; save the propagators and contract with naik_io.py
propagator 0~identity~op_label d|combine 1 quarks 0 coeffs 1|quark 0: 'combine' cannot be expressed; a quark is a propagator here
propagator 0~identity|propagate 2~identity|quark 0: expected 'propagator', 'quark' or 'combine', found 'propagate'
pair 0 0|pair 0 1|meson 0: 'pair' must be an integer from 0 to 0, not '1'
spectrum_request meson|spectrum_request baryon|meson 0: 'spectrum_request baryon' cannot be expressed, only meson
1 * 1 pion5|1 * 1 pions|meson 0: the meson 'pions' of PION_5 cannot be expressed; save the propagators and contract with naik_io.py
pion5 0 0 0 E E E|pion5 1 0 0 O E E|meson 0: the momentum parities O E E of PION_5 cannot be expressed, only E (cosine), and EO of a momentum along one axis
pion5 0 0 0 E E E|pion5 1 1 0 E EO E|meson 0: the momentum parities E EO E of PION_5 cannot be expressed, only E (cosine), and EO of a momentum along one axis
number_of_baryons 0|number_of_baryons 1 triplet 0 0 0 spectrum_request baryon forget_corr r_offset 0 0 0 0 number_of_correlators 1 correlator N 1 * 1 nucleon|baryon 0: the baryon 'nucleon' of N cannot be expressed; save the propagators and contract with naik_io.py
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
origin 0 0 0 0
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
number_of_mesons 3
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
number_of_baryons 1
triplet 0 0 0
spectrum_request baryon
save_corr_fnal c
r_offset 0 0 0 0
number_of_correlators 1
correlator N 1 * 1 nucleon
"""
many = (HEAD.replace("no_gauge_fix", "coulomb_gauge_fix").replace("coordinate_origin 0 0 0 0", "coordinate_origin 0 0 0 4")
        .replace("number_of_pbp_masses 0", "number_of_pbp_masses 1 max_cg_iterations 300 mass 0.05")
        .replace("max_number_of_eigenpairs 0", "restart_lanczos 50\nNumber_of_eigenvals 10\nfresh_ks_eigen\nforget_ks_eigen")
        + NEW_SOURCES + NEW_SETS + NEW_REST)
obstacles = ["gauge field: 'coulomb_gauge_fix' ", "condensate: 'number_of_pbp_masses 1' ", "base source 2: 'wavefunction' ",
             "quark 1: the sink operation 'evenandodd_wall' ", "quark 2: propagator 4 ", "quark 3: 'combine' ",
             "meson 0: the meson 'pioni5' of S ", "meson 1: 'pair 1 1' needs ", "meson 2: 'pair 0 2' needs ",
             "baryon 0: the baryon 'nucleon' of N "]
write("many.milc", many)
status, said, told = answer("import-milc", "many.milc")
verdict("import_milc_tells_all_obstacles_at_once",
        status == 1 and said == "" and f"these {len(obstacles) + 1} things cannot be expressed; --propagators-only leaves them out "
        "and stores the 5 propagators" in told.splitlines()[-1] and all(f": {o}" in told for o in obstacles), told)
status, said, told = answer("import-milc", "many.milc", "--propagators-only")
verdict("import_milc_translates_the_rest_and_lists_what_it_dropped",
        status == 0 and all(any(line.startswith("# dropped, line ") and f": {o}" in line for line in said.splitlines())
                            and f": {o}" in told for o in obstacles)
        and "set 3: propagator 4 needs source 4" in told
        and "  propagators: true\n  correlators: [pion5, rhox0]\n" in said
        and "eigenpairs are neither made nor read nor saved" in said and "the boundary at t = 0" in said
        and "solved to rel_error_for_propagator 0.0001" in said and "site_relative_tolerance: 0.0001" in said, said + told)
noise = "      type: random_wall\n      t0: 2\n      noise: gaussian\n      seed: 42\n"
verdict("import_milc_makes_again_what_the_file_saves_and_loads",
        said.count(noise) == 5 and noise + "      momentum: [1, 0, 0]\n" in said and noise + "      momentum: [0, 1, 0]\n" in said, said)
write("same.milc", plain.replace("number_of_sets 1", "number_of_sets 2").replace("number_of_quarks 1", plain[
    plain.index("max_cg_iterations"):plain.index("number_of_quarks")] + "number_of_quarks 2\npropagator 1\nidentity\nop_label d\nforget_ksprop")
    .replace("pair 0 0", "pair 0 1"))
status, said, told = answer("import-milc", "same.milc")
verdict("import_milc_solves_once_what_is_asked_for_twice",
        status == 0 and said.count("  - name:") == 1 and "propagator 1 is solved already" in told, said + told)
only = plain[:plain.index("number_of_base_sources")].replace("number_of_pbp_masses 0", "number_of_pbp_masses 1 mass 0.05") + (
    "number_of_base_sources 0\nnumber_of_modified_sources 0\nnumber_of_sets 0\nnumber_of_quarks 0\nnumber_of_mesons 0\nnumber_of_baryons 0\n")
write("none.milc", only)
status, said, told = answer("import-milc", "none.milc", "--propagators-only")
verdict("import_milc_refuses_a_file_without_propagators",
        (status, told) == (1, "naik: error: none.milc: no propagator is left that naik can solve\n"), told)

# Cut anywhere, and with any byte damaged, it ends with a sentence or a valid input.
wrong = []
step = 1 if os.environ.get("NAIK_TEST_LONG") else 239
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

# test_import_milc.py - `naik import-milc`: what it writes is what was asked for, the rest refused
# timeout: 240
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
coordinate_origin 0 0 0 0|coordinate_origin 0 0 0 1|gauge field: a coordinate_origin other than 0 0 0 0 cannot be expressed
time_bc antiperiodic|time_bc both|gauge field: 'time_bc' must be antiperiodic or periodic, not 'both'
max_number_of_eigenpairs 0|max_number_of_eigenpairs 10|eigenpairs: 'max_number_of_eigenpairs 10' cannot be expressed; naik does not deflate
number_of_pbp_masses 0|number_of_pbp_masses 2|condensate: 'number_of_pbp_masses 2' cannot be expressed; naik measures no condensate
point~|fat_covariant_gaussian~|base source 0: 'fat_covariant_gaussian' cannot be expressed; naik has point, corner_wall, even_wall, evenandodd_wall, evenminusodd_wall, gaussian, random_color_wall, vector_field
subset full|subset corner|base source 0: 'subset corner' cannot be expressed, only 'subset full'
subset full|subst full|base source 0: expected 'subset', found 'subst'
origin 0 0 0 0~source|origin 0 0 0 16~source|base source 0: t = 16 lies outside the lattice
origin 0 0 0 0~source|origin 0 0 0 x~source|base source 0: 'origin' must be an integer from 0 to 32767, not 'x'
forget_source|save_serial_scidac_ks_source s|base source 0: 'save_serial_scidac_ks_source' cannot be expressed; naik does not save sources, write forget_source here
number_of_modified_sources 0|number_of_modified_sources 1 source 0 funnywall1|modified source 1: the operation 'funnywall1' on a source cannot be expressed, only identity
check yes|check sourceonly|set 0: 'check sourceonly' cannot be expressed; naik solves
momentum_twist 0 0 0|momentum_twist 0 0 0.5|set 0: a momentum_twist other than 0 0 0 cannot be expressed
precision 2|time_bc periodic precision 2|set 0: two time_bc in one file cannot be expressed; make two inputs
precision 2|precision 3|set 0: 'precision' must be an integer from 1 to 2, not '3'
precision 2|precision 2 charge 1|set 0: expected 'source', found 'charge'
mass 0.05|mass -0.05|set 0: 'mass' must be above 0, not '-0.05'
mass 0.05|mass nan|set 0: 'mass' must be a number, not 'nan'
error_for_propagator 1e-8~|error_for_propagator 0~|set 0: one of error_for_propagator and rel_error_for_propagator must be above 0
fresh_ksprop|reload_serial_ksprop a|set 0: 'reload_serial_ksprop' cannot be expressed; naik solves from zero, write fresh_ksprop here
propagator 0~identity|propagator 1~identity|quark 0: 'propagator' must be an integer from 0 to 0, not '1'
identity~op_label d|evenandodd_wall~op_label d|quark 0: the sink operation 'evenandodd_wall' cannot be expressed, only identity; save the propagators and contract with naik_io.py
propagator 0~identity|combine 2~identity|quark 0: 'combine' cannot be expressed; a quark is a propagator here
pair 0 0|pair 0 1|meson 0: 'pair' must be an integer from 0 to 0, not '1'
spectrum_request meson|spectrum_request baryon|meson 0: 'spectrum_request baryon' cannot be expressed, only meson
1 * 1 pion5|1 * 1 rhox|meson 0: the meson 'rhox' of PION_5 cannot be expressed, only pion5 and pion05; save the propagators and contract with naik_io.py
pion5 0 0 0 E E E|pion5 1 0 0 O E E|meson 0: the momentum parity 'O' cannot be expressed, only E (cosine), and EO of a momentum along one axis
pion5 0 0 0 E E E|pion5 1 1 0 E EO E|meson 0: the momentum parity 'EO' cannot be expressed, only E (cosine), and EO of a momentum along one axis
number_of_baryons 0|number_of_baryons 1|baryons: 'number_of_baryons 1' cannot be expressed; naik makes no baryons
number_of_baryons 0|number_of_baryons 0 reload_serial other|gauge field: a second configuration cannot be expressed; one input of naik is for one configuration
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
    if (status, said, told) != (1, "", f"naik: error: bad.milc:{line}: {sentence}\n"):
        wrong.append(f"{row}\n  line {line}: {status} {said[:80]} {told}")
verdict("import_milc_names_line_and_stanza_of_what_naik_cannot_do", not wrong, "\n".join(wrong))

# Cut anywhere, and with any byte damaged, it ends with a sentence or a valid input.
wrong = []
step = 1 if os.environ.get("NAIK_TEST_LONG") else 239
for at in range(0, len(plain), step):
    for text in (plain[:at], plain[:at] + "\x01" + plain[at + 1:], plain[:at] + "x" * 300 + plain[at:]):
        write("cut.milc", text)
        status, said, told = answer("import-milc", "cut.milc")
        good = status == 0 and said.startswith("# Translated")
        bad = status == 1 and told.startswith("naik: error: ") and told.count("\n") == 1
        if not good and not bad:
            wrong.append(f"{at}: {status} {told}")
verdict("import_milc_survives_damaged_files", not wrong, "\n".join(wrong[:5]))
finish()

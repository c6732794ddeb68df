/* help.c - what `--help` prints: how to call each command, with examples that work */
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "input/input.h"

static const char help_program[] =
    "naik - staggered, Wilson and clover quark propagators from lattice gauge configurations\n"
    "\n"
    "  naik solve INPUT.yaml              propagators and correlators, as the input file says\n"
    "  naik gauge generate|convert|fix|check  configurations: make, convert, fix, verify\n"
    "  naik links INPUT.yaml -o FILE.h5   fat and long links\n"
    "  naik modes INPUT.yaml              low modes, for solves of light quarks\n"
    "  naik info FILE.h5                  what a file holds, whether it is complete and intact\n"
    "  naik bench dslash|cg|bicgstab|...  speed, one line a measurement\n"
    "  naik export FILE.h5 -o FILE        propagators in a format of other codes\n"
    "  naik report FILE.h5                a page with plots of what a run did, for any browser\n"
    "  naik import-milc INPUT             a MILC ks_spectrum input as an input of naik\n"
    "  naik COMMAND --help                options and worked examples of one command\n"
    "  naik --version\n"
    "\n"
    "Examples\n"
    "  naik gauge generate --size 8,8,8,16 --beta 6 --seed 1 --sweeps 200 -o lat.h5\n"
    "  mpirun -n 2 naik solve inputs/hisq-point.yaml --set gauge.file=lat.h5\n"
    "  naik info hisq-point.h5\n"
    "\n"
    "Exit status: 0 done, 1 input, 2 resources, 3 not converged, 4 data corrupt,\n"
    "5 interrupted but resumable (run the same command again).\n"
    "\n"
    "On several ranks a command that does not get on any more says where it is and ends with 2:\n"
    "after run.watchdog of its input or, where it has none, NAIK_WATCHDOG in the environment\n"
    "(seconds or HH:MM:SS; 0: never), 20 minutes if neither is said.";

static const char help_solve[] =
    "naik solve INPUT.yaml [--set KEY=VALUE]... [--dry-run [--no-verify]] [--fresh]\n"
    "           [--skip-complete]\n"
    "naik solve INPUT.yaml --dry-run --machine NAME|FILE.yaml [--nodes N,N,...] [--from PROP.h5]\n"
    "           [--json]\n"
    "\n"
    "Reads the configuration, builds the links, solves for every source, mass and colour (and "
    "spin,\n"
    "of Wilson and clover quarks) of the input, writes propagators and correlators. A run that "
    "was\n"
    "stopped continues when the same command is given again.\n"
    "\n"
    "  --set KEY=VALUE   replaces a key of the input; VALUE is YAML; may be given several times\n"
    "  --dry-run         checks everything and prints process grid, memory plan, number of solves\n"
    "                    and size of the output, without solving; the configuration is read and\n"
    "                    verified as a run would (checksums, plaquette, unitarity)\n"
    "  --no-verify       does not read it, only looks at its header, and says so\n"
    "  --machine NAME    plans the run for another machine instead: perlmutter, perlmutter-80gb,\n"
    "                    juwels-booster, lumi-g, h200, h100, or that of FILE.yaml\n"
    "                    (doc/machine-example.yaml). Memory, iterations, wall time,\n"
    "                    node-hours and the wall limit to ask for, predicted; no file is looked "
    "at\n"
    "  --nodes N,N,...   on so many nodes; without it the smallest that holds it, and doublings\n"
    "  --from PROP.h5    takes iterations from that run of the same action\n"
    "  --json            the plan as one JSON object, every figure with its source\n"
    "  --fresh           starts over; a complete output stays until the new one is complete. Only\n"
    "                    propagator files of naik are replaced\n"
    "  --skip-complete   exits with 0 at once where the output of this input is complete and "
    "converged\n"
    "\n"
    "Environment: NAIK_BACKEND (auto, cpu, gpu) and NAIK_GRID (XxYxZxT) replace run.backend and\n"
    "run.grid; both are recorded in the output. NAIK_INSTRUCTIONS (avx512, avx2, portable) "
    "chooses\n"
    "the CPU's instruction set; results do not depend on it.\n"
    "\n"
    "Examples\n"
    "  naik solve run.yaml --dry-run\n"
    "  naik solve run.yaml --dry-run --machine perlmutter --nodes 1,2,4,8\n"
    "  mpirun -n 8 naik solve run.yaml --set solver.tolerance=1e-8 --set solve.0.masses=[0.1]\n"
    "  NAIK_GRID=1x1x2x4 mpirun -n 8 naik solve run.yaml\n"
    "\n"
    "The input file, with every key it may have:";

static const char help_gauge[] =
    "naik gauge generate --size X,Y,Z,T --beta B -o FILE.h5 [--seed N] [--sweeps S]\n"
    "                   [--over-relaxations N] [--start cold|hot] [--precision 32|64] [--force]\n"
    "naik gauge convert IN OUT [--to FORMAT] [--precision 32|64] [--on-mismatch stop|warn]\n"
    "                   [--ensemble TEXT] [--size X,Y,Z,T] [--force]\n"
    "naik gauge check FILE [--size X,Y,Z,T]\n"
    "naik gauge fix IN -o OUT.h5 --gauge coulomb|landau [--tolerance T] [--over-relaxation W]\n"
    "                   [--max-iterations N] [--precision 32|64] [--backend auto|cpu|gpu]\n"
    "                   [--size X,Y,Z,T] [--force]\n"
    "\n"
    "generate  a quenched configuration of the Wilson action by heatbath and over-relaxation; the\n"
    "          same seed gives the same configuration on any number of ranks\n"
    "convert   any configuration that naik reads, verified, to naik's own HDF5 or to FORMAT: "
    "naik,\n"
    "          milc, nersc, nersc-3x3, ildg, pyquda; the result is read again and compared before "
    "it gets\n"
    "          its name; links are written as stored, in the precision of IN unless told "
    "otherwise\n"
    "check     verifies what a file claims: checksums, plaquette, link trace, unitarity; exit\n"
    "          status 4 if the file contradicts itself, 1 if its links are of another kind\n"
    "fix       Coulomb or Landau gauge by over-relaxation (W = 1.7), until theta, the divergence "
    "of "
    "the\n"
    "          links squared, is at most T (1e-12); on a GPU where there is one, with the bits of "
    "the\n"
    "          CPU, and the same on any number of ranks. Exit status 3, and no OUT, if it is not "
    "after\n"
    "          N (20000) iterations\n"
    "--size    extents of IN or FILE, where it tells none: a LIME file without an ildg-format "
    "record\n"
    "--force   replaces a file that is there; without it such a file stays (exit status 1)\n"
    "\n"
    "Formats are recognised by content: MILC v5, SciDAC and ILDG LIME, NERSC, openQCD, HDF5\n"
    "of naik, QDP++ (Chroma) and PyQUDA.\n"
    "\n"
    "Examples\n"
    "  naik gauge generate --size 8,8,8,16 --beta 6 --seed 1 --sweeps 200 -o lat.h5\n"
    "  mpirun -n 4 naik gauge convert l3248f211b580m002426m06730m8447.1000 lat.h5 --precision 64\n"
    "  naik gauge convert lat.h5 lat.ildg --to ildg --precision 32\n"
    "  naik gauge check lat.h5\n"
    "  mpirun -n 4 naik gauge fix lat.h5 -o fixed.h5 --gauge coulomb";

static const char help_links[] =
    "naik links INPUT.yaml -o FILE.h5 [--set KEY=VALUE]... [--force]\n"
    "\n"
    "Builds the fat and long links of the input's action and writes them, so that later runs can\n"
    "read them with action: {type: links, file: FILE.h5}. The input is that of `naik solve`. A\n"
    "FILE.h5 that is there is replaced with --force only.\n"
    "\n"
    "Example\n"
    "  mpirun -n 4 naik links run.yaml -o links.h5\n"
    "  mpirun -n 4 naik solve inputs/links-from-file.yaml --set action.file=links.h5";

static const char help_modes[] =
    "naik modes INPUT.yaml [--set KEY=VALUE]... [--force]\n"
    "\n"
    "Finds the low modes that deflation.modes of the input asks for, for every Naik epsilon of "
    "its\n"
    "solves, and writes deflation.file, from which `naik solve` with the same input takes them. "
    "Modes\n"
    "that are there already are verified: every byte, and eigenvalues and residuals with the links "
    "of\n"
    "the input. A search that was stopped goes on from where it was when the same command is "
    "given\n"
    "again. --force replaces a file with fewer modes. With deflation.modes: auto their number is "
    "that\n"
    "which pays for the solves and memory holds; it may be none.\n"
    "\n"
    "Example\n"
    "  mpirun -n 4 naik modes run.yaml --set deflation.modes=200 --set deflation.file=modes.h5";

static const char help_info[] =
    "naik info FILE [--json] [--verify | --no-verify] [--residuals [--set KEY=VALUE]...]\n"
    "naik info MODES.h5 [--mass M,M,...]\n"
    "naik info FILE --correlators[=fnal]\n"
    "\n"
    "Says what a file holds (propagators, links, low modes, or a gauge configuration in any\n"
    "format), which solves are in it with iterations and residuals, whether it is complete, and\n"
    "recomputes its checksums. Of an output that is still being written it describes FILE.part.\n"
    "Exit status 0 complete, 3 if no solve converged, 4 if anything disagrees, 5 if solves are "
    "still\n"
    "to be done.\n"
    "\n"
    "  --json        the same as one JSON object\n"
    "  --verify      reads the data and recomputes their checksums, as without this\n"
    "  --no-verify   describes only, does not read the data\n"
    "  --residuals   of a complete propagator file: reads the configuration that it names, makes\n"
    "                the links and computes |src - M x| / |src| of every solve again\n"
    "  --set         replaces a key of the stored input for that, such as gauge.file\n"
    "  --mass        of low modes: the iterations that these masses are foreseen to take, without\n"
    "                them and with them\n"
    "  --correlators prints all correlators as text: for each a line that begins with #, lines\n"
    "                \"t re im\", two empty lines; numpy.loadtxt reads it, and gnuplot by index;\n"
    "                =fnal: blocks as MILC writes them for FNAL\n"
    "\n"
    "Examples\n"
    "  naik info prop.h5\n"
    "  naik info prop.h5 --json\n"
    "  naik info prop.h5 --correlators > corr.txt\n"
    "  naik info modes.h5 --mass 0.001,0.01\n"
    "  mpirun -n 4 naik info prop.h5 --residuals --set gauge.file=/elsewhere/lat.h5";

static const char help_bench[] =
    "naik bench dslash|cg|bicgstab|halo|links|io|modes [options]\n"
    "naik bench model --modes N,N,... [--size X,Y,Z,T] [--mass M] --machine NAME --gpus N\n"
    "naik bench model [--machine NAME] [--local X,Y,Z,T] [--nodes N,N,...|--gpus N]\n"
    "                 [--precision P] [--link-precision P] [--recon R] [--nrhs N]\n"
    "                 [--software quda|probe|naik] [--figure NAME=VALUE]... [--check]\n"
    "                 [--lines|--json]\n"
    "\n"
    "Measures on a random field, which needs no file, or on a stored configuration; prints one\n"
    "key=value line a measurement, with the machine's own copy speed measured between the "
    "samples.\n"
    "\n"
    "  --size X,Y,Z,T                      global extents\n"
    "  --links random|random-hisq|unit     random matrices; fattened random links (default); 1\n"
    "  --gauge FILE                        dslash, cg, bicgstab, modes, links: of this "
    "configuration\n"
    "  --action hisq|hisq_su3|asqtad|naive dslash, cg: or wilson, clover (there D is A^-1 D; cg "
    "is\n"
    "                                      on the normal equations); bicgstab: only these\n"
    "  --precision double|single|half      of the vectors; io: 64 or 32 bits; modes: of the modes\n"
    "  --link-precision double|single|half of the links, else as the vectors\n"
    "  --inner-precision auto|half|single|double   cg: as solver.inner_precision of naik solve, "
    "instead\n"
    "                                      of the precisions and --recon\n"
    "  --rung half|single|classical|double cg: where a solve begins, else by its mass\n"
    "  --source random|point               cg\n"
    "  --recon 18|13|12|9|8|6              numbers stored of a long link (12: of a naive link; 6:\n"
    "                                      32-bit words of three numbers, with 16-bit links); of\n"
    "                                      Wilson quarks 18, 12 or 8\n"
    "  --temporal-gauge                    naive: time links are 1 but on the last slice\n"
    "  --threads-per-site auto|1|3|4|12|all     dslash on a GPU; all: a table of volumes\n"
    "  --launch auto|separate|fused|graph|fused_graph|all   cg: as run.launch; all: a table of\n"
    "                                      volumes\n"
    "  --delta D                           cg: the residual drops by D between true residuals; 0:\n"
    "                                      by precision\n"
    "  --nrhs N,N,...                      right-hand sides, one line each\n"
    "  --modes N                           modes: how many (64); projection, addition, rotation,\n"
    "                                      filter and dense part, a line each\n"
    "  --batch N                           cg: of them at a time\n"
    "  --mass M,M,...                      cg, bicgstab: one line each\n"
    "  --tolerance T --max-iterations N    cg, bicgstab\n"
    "  --masses M,M,...                    cg: all of them for every right-hand side, in two "
    "lines:\n"
    "                                      solved apart, and from a shared Krylov space\n"
    "  --weak | --strong                   cg: a fixed number of iterations; with --weak, --size "
    "is\n"
    "                                      that of a rank\n"
    "  --iterations N                      cg: how many, whatever the residual (200)\n"
    "  --grid XxYxZxT                      ranks in each direction, else chosen\n"
    "  --backend auto|cpu|gpu --threads N\n"
    "  --transport auto|peer|mpi_device|staged     of halos between GPUs; --share-gpu as in the "
    "input\n"
    "  --repeat N --time S                 samples, and the least seconds of a sample; cg with 1: "
    "one\n"
    "                                      solve after a brief warm-up\n"
    "  --file FILE.h5                      io: written, read and removed\n"
    "  --mpi-info 'KEY=VALUE;...'          io: hints to MPI-IO\n"
    "  --alignment BYTES                   io: of the links in the file\n"
    "  --aggregators N                     io: so many ranks write for all; 0: all together\n"
    "  --json                              JSON lines instead\n"
    "\n"
    "model prints tables; --lines: key=value lines. Machines: h200, h100, perlmutter,\n"
    "perlmutter-80gb, juwels-booster, lumi-g. --gpus N: on so many instead of whole nodes.\n"
    "model predicts iterations of CG (of BiCGStab with --action wilson|clover --software naik) on "
    "4\n"
    "to 4096 GPUs instead of measuring: a formula, with where\n"
    "each of its figures comes from; --check compares it with what was measured. --modes: a source "
    "and\n"
    "the search for low modes, on the whole lattice --size (64,64,64,96) at --mass (0.0012).\n"
    "\n"
    "Examples\n"
    "  naik bench dslash --size 32,32,32,32 --precision single --nrhs 1,8\n"
    "  mpirun -n 4 naik bench cg --size 16,16,16,32 --inner-precision single --json\n"
    "  naik bench cg --gauge lat.h5 --source point --mass 0.005,0.001 --inner-precision auto\n"
    "  mpirun -n 4 naik bench cg --weak --size 16,16,16,16 --links random --json\n"
    "  mpirun -n 4 naik bench halo --size 64,64,64,64 --precision single --nrhs 1,8";

static const char help_export[] =
    "naik export PROP.h5 -o FILE [--to usqcd|qdp] [--source N] [--mass N] [--allow-unconverged]\n"
    "            [--set KEY=VALUE]... [--force]\n"
    "\n"
    "Writes the propagators of a complete file for other codes: as USQCD source-solution pairs, a\n"
    "SciDAC file of three pairs of vectors, of Wilson and clover quarks twelve of spinors, in the\n"
    "precision they are stored in. The sources are made again from the input that PROP.h5 "
    "carries.\n"
    "The result is read again before it gets its name.\n"
    "\n"
    "  --to qdp      of Wilson and clover quarks: a LatticePropagator in HDF5 as QDP++ and Chroma\n"
    "                have it, dataset /propagator, [sink spin][source spin][sink colour][source\n"
    "                colour] a site; without the sources\n"
    "  -o FILE       one propagator goes to FILE, several to FILE.s0000.m00, FILE.s0000.m01 ...\n"
    "  --source N    of this source only, as `naik info` numbers them\n"
    "  --mass N      of this mass only, counted from 0 in its solve\n"
    "  --allow-unconverged  also what did not reach its tolerance; without it exit status 3. The\n"
    "                file's own text then has the residuals\n"
    "  --set KEY=VALUE  where files that the input names have moved, as solve.0.source.file=NEW\n"
    "  --force       replaces files that are there\n"
    "\n"
    "Examples\n"
    "  naik export prop.h5 -o prop.scidac\n"
    "  mpirun -n 4 naik export prop.h5 --source 0 --mass 1 -o light.scidac\n"
    "  naik export clover.h5 --to qdp -o prop.qdp.h5";

static const char help_report[] =
    "naik report FILE.h5 [-o FILE.html] [--modes MODES.h5] [--no-verify] [--force]\n"
    "\n"
    "Writes one page, without anything from outside, that shows a propagator file: correlators\n"
    "with effective masses, residuals of every solve, accuracy and time, where it came from. An\n"
    "unfinished file (FILE.h5.part) may be shown while its run goes on. Everything is verified by\n"
    "its checksums, propagators as by naik info; the page says what was. Damage is on top of it,\n"
    "and ends with exit status 4; 3 if no solve converged.\n"
    "\n"
    "  -o FILE.html   instead of the same name with .html\n"
    "  --no-verify    does not read the propagators, and says so\n"
    "  --modes FILE   of solves with low modes: where these are now, whose spectrum is shown\n"
    "  --force        replaces a file that is there, such as an older page\n"
    "\n"
    "Example\n"
    "  naik report prop.h5 && xdg-open prop.html";

static const char help_import_milc[] =
    "naik import-milc INPUT [-o OUT.yaml] [--propagators-only] [--action auto|hisq|asqtad|naive]\n"
    "                 [--force]\n"
    "\n"
    "Translates an input of MILC's ks_spectrum programs: configuration, condensate, sources, sets\n"
    "of propagators, mesons, nucleons. What naik cannot do is refused, all of it at once, with "
    "line\n"
    "and stanza (exit status 1); what the translation leaves out, such as factors of correlators,\n"
    "and gauge fixing, which is a step before, are noted in OUT and on standard error. The\n"
    "result has passed the checks that `naik solve` makes. doc/from-milc.md compares the two,\n"
    "key by key.\n"
    "\n"
    "  -o OUT.yaml         a new file, with --force also an old one; without it the translation\n"
    "                      is printed\n"
    "  --propagators-only  leaves out what naik cannot do, lists it, and stores the propagators\n"
    "  --action A          which program the input was for; auto: hisq if it has\n"
    "                      naik_term_epsilon, else asqtad\n"
    "\n"
    "Example\n"
    "  naik import-milc in.l6496 -o run.yaml && naik solve run.yaml --dry-run";

typedef struct topic {
    const char *name, *text;
} topic;

static const topic topics[] = {{"solve", help_solve},
                               {"gauge", help_gauge},
                               {"links", help_links},
                               {"modes", help_modes},
                               {"info", help_info},
                               {"bench", help_bench},
                               {"export", help_export},
                               {"report", help_report},
                               {"import-milc", help_import_milc},
                               {NULL, NULL}};

naik_status naik_help(naik_log *log, const char *command)
{
    if (command == NULL) {
        naik_log_line(log, "%s", help_program);
        return NAIK_OK;
    }
    const char *names[sizeof topics / sizeof *topics] = {NULL};
    for (int i = 0; topics[i].name != NULL; i++) {
        names[i] = topics[i].name;
        if (strcmp(topics[i].name, command) == 0) {
            naik_log_line(log, "%s", topics[i].text);
            if (topics[i].text == help_solve) {
                naik_input_print_reference(log);
            }
            return NAIK_OK;
        }
    }
    const char *nearest = naik_text_nearest(command, names);
    return NAIK_FAIL(log, NAIK_ERR_INPUT, "there is no help on '%s'%s%s%s", command,
                     nearest != NULL ? "; did you mean 'naik " : "", nearest != NULL ? nearest : "",
                     nearest != NULL ? " --help'?" : "; 'naik --help' lists the commands");
}

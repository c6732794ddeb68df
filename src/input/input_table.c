/* input_table.c - every key of the input file: type, default, range, meaning, in one place */
#include "input/input_table.h"

#include "base/watchdog.h"
#include "input/input_other_codes.h"
#include "input/input_words.h"
#include "multigrid/coarse_operator.h"
#include "multigrid/polynomial.h"
#include "solver/gcr.h"

#define INPUT(member)   offsetof(naik_input, member)
#define SOLVE(member)   offsetof(naik_input_solve, member)
#define PAIR(member)    offsetof(naik_input_pair, member)
#define BARYON(member)  offsetof(naik_input_baryon, member)
#define THREE(member)   offsetof(naik_input_three_point, member)
#define AVERAGE(member) offsetof(naik_input_average, member)
#define SOURCE(member)  offsetof(naik_input_solve, source.member)

static const naik_param params[] = {
    {.key = "lattice.size",
     .kind = NAIK_PARAM_VECTOR4,
     .offset = INPUT(lattice.size),
     .required = true,
     .range = {2, 32768},
     .multiple = 2,
     .identity = true,
     .doc = "extents of the whole lattice, all even"},
    {.key = "lattice.boundary_t",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(lattice.antiperiodic_t),
     .words = boundaries,
     .initial = "antiperiodic",
     .identity = true,
     .doc = "boundary condition of the quarks in time"},

    {.key = "gauge.file",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(gauge.file),
     .needed = "unless action.type is links",
     .doc = "path of the configuration"},
    {.key = "gauge.config",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(gauge.config),
     .doc = "name that replaces {config} in the names of all files, such as \"lat.{config}.ildg\"; "
            "letters, digits, ., _ and -"},
    {.key = "gauge.configs",
     .kind = NAIK_PARAM_TEXTS,
     .offset = INPUT(gauge.configs),
     .doc = "names of configurations. naik solve works on one after the other, and puts the name "
            "of each in place of {config} in the names of files. naik skips configurations whose "
            "output is complete. With gauge.config beside this list naik solves that one alone"},
    {.key = "gauge.on_mismatch",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(gauge.warn_only),
     .words = mismatches,
     .initial = "stop",
     .doc = "what naik does if the checksum, the plaquette or the link trace differs from what "
            "the file says, or if links are not unitary: stop ends the run (exit status 4); warn "
            "goes on, and the output records the mismatch"},
    {.key = "gauge.max_unitarity_deviation",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(gauge.max_unitarity_deviation),
     .range = {NAIK_ABOVE_0, NAIK_NO_LIMIT},
     .initial = "1e-5",
     .doc = "largest |(U U^+ - 1)_ij| that naik accepts; files in single precision have about "
            "1e-6"},
    {.key = "gauge.reunitarise",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(gauge.reunitarise),
     .initial = "true",
     .identity = true,
     .doc = "whether naik projects the links to SU(3) after the checks"},

    {.key = "action.type",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(action.type),
     .words = naik_quark_words,
     .required = true,
     .identity = true,
     .doc = "naive, asqtad and hisq make fat and long links from the configuration; links "
            "reads them from a file. These four are staggered quarks. wilson, clover and "
            "twisted_mass quarks have spin and take the configuration as it is"},
    {.key = "action.u0",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(action.u0),
     .range = {0.01, 2},
     .identity = true,
     .needed = "with asqtad",
     .doc = "tadpole factor of asqtad. clover and twisted_mass take this key too: naik then "
            "divides csw by u0^3"},
    {.key = "action.projection",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(action.projection),
     .words = projections,
     .initial = "u3",
     .identity = true,
     .later = true,
     .doc = "projection of the links that hisq has smeared once. u3 is the projection of "
            "MILC, QUDA and their ensembles. su3 also divides by a cube root of the "
            "determinant, as Chroma does"},
    {.key = "action.csw",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(action.csw),
     .range = {-100, 100},
     .initial = "0",
     .identity = true,
     .later = true,
     .needed = "with clover",
     .doc = "coefficient of the clover term; 1 at tree level. twisted_mass has no clover term "
            "without this key"},
    {.key = "action.mu",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(action.mu),
     .range = {-100, 100},
     .initial = "0",
     .identity = true,
     .later = true,
     .needed = "with twisted_mass",
     .doc = "twisted mass mu. The operator is M = m + 4 + C + i mu g5 - D/2, where C is the clover "
            "term. The two flavours of a doublet have mu and -mu; a run solves one of them. "
            "tmLQCD's 2KappaMu is -2 kappa mu (doc/quarks.md)"},
    {.key = "action.file",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(action.file),
     .needed = "with links",
     .doc = "file with the fat links, or with fat and long links"},
    {.key = "action.long_file",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(action.long_file),
     .doc = "file with the long links, if action.file has only the fat links; with type links "
            "only. naik checks that action.file has fat links and this file long links, and that "
            "both contain MILC's staggered phases and the boundary of lattice.boundary_t"},

#include "input/input_lists.inc"
#include "input/input_three_point.inc"

    {.key = "solver.tolerance",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(solver.tolerance),
     .range = {1e-16, 1},
     .initial = "1e-10",
     .identity = true,
     .doc = "largest relative residual of a solve, in double precision: |b - (4m^2 - DD)x| / |b| "
            "on one parity for staggered quarks, |b - Mh x| / |b| for quarks with spin, where Mh "
            "is the even-odd operator (doc/quarks.md)"},
    {.key = "solver.tolerance_full",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(solver.tolerance_full),
     .range = {0, 1},
     .initial = "0",
     .identity = true,
     .later = true,
     .doc = "limit of |src - M x| / |src| on the whole lattice, in addition to tolerance; 0 means "
            "no limit. With tolerance: 1, only this limit counts"},
    {.key = "solver.max_iterations",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(solver.max_iterations),
     .range = {1, 100000000},
     .initial = "20000",
     .doc = "limit of the iterations of a solve. naik stores a solve that reaches the limit as not "
            "converged (exit status 3). If you run again with a higher limit, naik repeats only "
            "such solves"},
    {.key = "solver.inner_precision",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(solver.inner_precision),
     .words = precisions,
     .initial = "auto",
     .identity = true,
     .doc = "storage of links and vectors while a solve iterates; true residuals are in double "
            "precision. auto takes the fastest storage that costs no iterations at the mass. half "
            "stores links in 16 bits. A solve whose storage is too coarse goes on with the next "
            "finer one"},
    {.key = "solver.batch",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(solver.batch),
     .range = {1, 64},
     .special = "auto",
     .initial = "auto",
     .doc = "number of right-hand sides that naik solves together; it changes no bit of the "
            "answer"},
    {.key = "solver.multishift",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(solver.multishift),
     .words = switches,
     .initial = "auto",
     .doc = "on solves the masses of one source from one Krylov space. auto does so if the solves "
            "then move fewer bytes of memory"},
    {.key = "solver.method",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(solver.method),
     .words = methods,
     .initial = "auto",
     .identity = true,
     .later = true,
     .before = "bicgstab",
     .doc = "solver of quarks with spin. auto solves the first column of a quark by bicgstab "
            "(twisted_mass: by cg), and changes to multigrid if that column takes too many "
            "iterations. If bicgstab does not converge, naik goes on with bicgstab in double "
            "precision, and then with cg in double precision. cg is conjugate gradient on the "
            "normal equations. multigrid is for light quarks: its setup costs about as much as one "
            "source, and a lighter quark takes hardly more iterations"},
    {.key = "solver.link_numbers",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(solver.link_numbers),
     .words = link_numbers,
     .initial = "18",
     .identity = true,
     .later = true,
     .doc = "for quarks with spin: how many numbers naik stores of an SU(3) link in precisions "
            "below double. naik rebuilds the link from 12 or 8 numbers; with 8 the rebuilt link "
            "has fewer digits"},
    {.key = "solver.site_relative_tolerance",
     .kind = NAIK_PARAM_REAL,
     .offset = INPUT(solver.site_relative_tolerance),
     .range = {0, 1},
     .initial = "0",
     .identity = true,
     .doc = "limit of sqrt(sum |r|^2/|x|^2 / sites), in addition to tolerance, where r is the "
            "residual and x the solution at a site; 0 means no limit"},
    {.key = "solver.verify",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(solver.double_check),
     .words = verifications,
     .initial = "residual",
     .doc = "residual computes the residual of every solve a second way. double_check also "
            "repeats some solves and compares their bits"},
    {.key = "solver.double_check_every",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(solver.double_check_every),
     .range = {1, 1000000},
     .initial = "10",
     .doc = "double_check repeats one solve in this many"},

#include "input/input_deflation.inc"
#include "input/input_multigrid.inc"

    {.key = "output.file",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(output.file),
     .required = true,
     .doc = "path of the HDF5 file. The name is FILE.part until the file is complete and verified"},
    {.key = "output.propagators",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(output.propagators),
     .initial = "true",
     .identity = true,
     .doc = "true stores the propagators; false stores correlators and residuals only. If a "
            "correlator needs several solves, naik keeps their propagators in FILE.part until the "
            "correlator is made"},
    {.key = "output.precision",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(output.precision),
     .range = {32, 64},
     .multiple = 32,
     .initial = "64",
     .identity = true,
     .doc = "bits of a real number in stored propagators: 32 or 64"},
    {.key = "output.correlators",
     .kind = NAIK_PARAM_CHOICES,
     .offset = INPUT(output.correlators),
     .words = correlators,
     .others = meson_labels,
     .listed = NAIK_FIRST_SPIN_TASTE,
     .more = MORE_CORRELATORS,
     .initial = "[pion5]",
     .identity = true,
     .doc = "correlators of the pairs, and of entries of solve that name none themselves; [] for "
            "none. The first sixteen words are mesons of staggered quarks. MILC's labels such as "
            "GX-GX are other words for these mesons, and labels such as GX-G1 are operators with "
            "links. The words from pion to t_xy are mesons of quarks with spin, whose default is "
            "[pion]. Conserved currents are for all quarks"},
    {.key = "output.momenta",
     .kind = NAIK_PARAM_VECTORS3,
     .offset = INPUT(output.momenta),
     .range = {-99, 99},
     .initial = "[[0, 0, 0]]",
     .identity = true,
     .doc = "momenta of the correlators, in units of 2 pi / L"},
    {.key = "output.momentum_weight",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(output.weight),
     .words = weights,
     .initial = "exp",
     .doc = "weight of a site in a correlator with momentum p. exp is exp(2 pi i p.(x - x0)/L), "
            "and the correlator is complex. cos is the product of the cosines of the three "
            "components, which gives the even part"},
    {.key = "output.origin",
     .kind = NAIK_PARAM_VECTOR4,
     .offset = INPUT(output.origin),
     .range = {0, 32767},
     .special = "source",
     .special_int = NAIK_INPUT_FROM_SOURCE,
     .initial = "source",
     .doc = "site x0 from which naik counts momenta and the signs of staggered mesons. source "
            "takes the source of each correlator. A site [x, y, z, t] holds for all correlators "
            "but loops, as MILC's r_offset does"},
    {.key = "output.baryons",
     .kind = NAIK_PARAM_CHOICES,
     .offset = INPUT(output.baryons),
     .words = baryons,
     .listed = NAIK_NUCLEON_TASTE,
     .more = MORE_BARYONS,
     .initial = "[]",
     .identity = true,
     .later = true,
     .doc = "baryons of three quarks of one mass and source. naik makes them for every entry of "
            "solve whose source allows it"},
    {.key = "output.condensate",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(output.condensate),
     .initial = "false",
     .identity = true,
     .later = true,
     .doc = "true makes sum_x src^+ G of random sources, which estimates Tr M^-1"},
    {.key = "output.loops",
     .kind = NAIK_PARAM_CHOICES,
     .offset = INPUT(output.loops),
     .words = operators,
     .others = meson_labels,
     .listed = NAIK_FIRST_SPIN_TASTE,
     .more = MORE_CORRELATORS " of staggered quarks, and GX of quarks with spin",
     .as = "a list of words of output.correlators, and of matrices such as GX",
     .initial = "[]",
     .identity = true,
     .later = true,
     .doc = "loops sum_x src^+ O G of random sources, at the momenta of their entry. G1-G1 "
            "(quarks with spin: G1) is the scalar, GX-G1 (GX) a vector, and conserved_vector_x "
            "the conserved vector"},
    {.key = "output.average",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(output.average),
     .initial = "false",
     .identity = true,
     .later = true,
     .doc = "true stores the mean and the standard error over the sources of an entry, with t "
            "counted from each source"},
    {.key = "output.print_correlators",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(output.print_correlators),
     .initial = "false",
     .doc = "true prints every correlator into the log; false prints one line for each "
            "source and mass. naik info --correlators prints them from the file"},
    {.key = "output.mpi_info",
     .kind = NAIK_PARAM_PAIRS,
     .offset = INPUT(output.mpi_info),
     .doc = "hints to MPI-IO for all files read and written, such as {striping_factor: 16}"},
    {.key = "output.alignment",
     .kind = NAIK_PARAM_INT64,
     .offset = INPUT(output.alignment),
     .range = {0, 1 << 30},
     .initial = "0",
     .doc = "naik aligns datasets of 1 MiB and more to this many bytes; 0 aligns nothing"},
    {.key = "output.aggregators",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(output.aggregators),
     .range = {0, 1 << 20},
     .initial = "0",
     .doc = "number of ranks that write the data of HDF5 files for all ranks. With 0 every rank "
            "writes its own box: by threads, if the parts of the box are long in the file and "
            "mpi_info is empty, and otherwise collectively with all ranks. Files of other "
            "formats, and solves in flight, are always written collectively"},

    {.key = "run.backend",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(run.backend),
     .words = backends,
     .initial = "auto",
     .doc = "auto takes a GPU if there is one. NAIK_BACKEND in the environment replaces this key"},
    {.key = "run.grid",
     .kind = NAIK_PARAM_VECTOR4,
     .offset = INPUT(run.grid),
     .range = {1, 32768},
     .special = "auto",
     .initial = "auto",
     .doc = "number of ranks in each direction; with run.groups, the ranks of one group. "
            "NAIK_GRID=XxYxZxT in the environment replaces this key"},
    {.key = "run.groups",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(run.groups),
     .range = {1, 4096},
     .special = "auto",
     .special_int = NAIK_INPUT_GROUPS_AUTO,
     .initial = "1",
     .doc = "number of groups of ranks. Groups solve different sources into one output, each with "
            "its own copy of links and modes. The number of groups must divide the number of "
            "ranks. auto takes the number that the performance model finds fastest and that fits "
            "into memory, on devices that the model knows"},
    {.key = "run.threads",
     .kind = NAIK_PARAM_INT,
     .offset = INPUT(run.threads),
     .range = {0, 4096},
     .initial = "0",
     .doc = "OpenMP threads of a rank. 0 takes OMP_NUM_THREADS. Without that variable, naik "
            "divides the processors that this rank may use among the ranks that may use them"},
    {.key = "run.wall_limit",
     .kind = NAIK_PARAM_TIME,
     .offset = INPUT(run.wall_limit_s),
     .initial = "0",
     .doc =
         "the run stops soon after this time, with exit status 5, and the same command continues "
         "the run. The run does not stop before its links are built. 0 means no limit"},
    {.key = "run.watchdog",
     .kind = NAIK_PARAM_TIME,
     .offset = INPUT(run.watchdog_s),
     .initial = NAIK_WATCHDOG_LIMIT_S,
     .doc = "if nothing moves for this time, every rank says where it is, and the job ends with "
            "exit status 2. 0 means never"},
    {.key = "run.transport",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(run.transport),
     .words = transports,
     .initial = "auto",
     .doc = "how halos travel between GPUs: peer writes into the memory of the neighbour, "
            "mpi_device gives device memory to MPI, staged goes through host memory. auto "
            "measures"},
    {.key = "run.launch",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(run.launch),
     .words = launches,
     .initial = "auto",
     .doc = "how the kernels of an iteration reach a GPU: separate launches them one by one; "
            "fused launches fewer kernels, which also compute scalars and send halos; graph and "
            "fused_graph play the same kernels back from a recording. The bits are the same. auto "
            "follows a rule on NVIDIA and measures on AMD"},
    {.key = "run.share_gpu",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(run.share_gpu),
     .initial = "false",
     .doc = "true lets two ranks share one GPU"},
    {.key = "run.tune_cache",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(run.tune_cache),
     .initial = "auto",
     .doc = "file in which naik keeps which GPU kernels were fastest. auto is naik/tune in the "
            "user's cache folder ($XDG_CACHE_HOME); none keeps nothing"},
    {.key = "run.placement",
     .kind = NAIK_PARAM_BOOL,
     .offset = INPUT(run.placement),
     .initial = "false",
     .doc = "true prints host, device, NUMA domain and processors of every rank"},
    {.key = "run.progress",
     .kind = NAIK_PARAM_CHOICE,
     .offset = INPUT(run.progress),
     .words = progresses,
     .initial = "auto",
     .doc = "how naik shows how far the solves are. auto keeps one line up to date on a terminal, "
            "and prints a line now and then elsewhere. lines prints lines on a terminal too"},
    {.key = "run.progress_interval",
     .kind = NAIK_PARAM_TIME,
     .offset = INPUT(run.progress_interval_s),
     .initial = "60",
     .doc = "naik prints a line of progress after this much silence"},
    {.key = "run.events",
     .kind = NAIK_PARAM_TEXT,
     .offset = INPUT(run.events),
     .doc = "file to which naik appends events as JSON lines: start, links, solve, warning, "
            "interruption, end"},
};

const naik_param_table naik_input_table = {.params = params,
                                           .count = (int)(sizeof params / sizeof *params),
                                           .list = {{.key = "solve",
                                                     .element_size = sizeof(naik_input_solve),
                                                     .data_offset = INPUT(solve),
                                                     .count_offset = INPUT(solve_count),
                                                     .max_count = 1000,
                                                     .required = true},
                                                    {.key = "pairs",
                                                     .element_size = sizeof(naik_input_pair),
                                                     .data_offset = INPUT(pairs),
                                                     .count_offset = INPUT(pair_count),
                                                     .max_count = 1000},
                                                    {.key = "baryons",
                                                     .element_size = sizeof(naik_input_baryon),
                                                     .data_offset = INPUT(baryons),
                                                     .count_offset = INPUT(baryon_count),
                                                     .max_count = 1000},
                                                    {.key = "three_point",
                                                     .element_size = sizeof(naik_input_three_point),
                                                     .data_offset = INPUT(three_points),
                                                     .count_offset = INPUT(three_point_count),
                                                     .max_count = 100},
                                                    {.key = "averages",
                                                     .element_size = sizeof(naik_input_average),
                                                     .data_offset = INPUT(averages),
                                                     .count_offset = INPUT(average_count),
                                                     .max_count = 1000}},
                                           .sections = sections,
                                           .hints = other_codes};

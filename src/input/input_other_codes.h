/* input_other_codes.h - what users of other codes type, and others expect, and what naik answers; for input_table.c */
#ifndef NAIK_INPUT_INPUT_OTHER_CODES_H
#define NAIK_INPUT_INPUT_OTHER_CODES_H

#include "keys/params.h"

#define MEANT(word) "did you mean '" word "'?"
#define ISOTROPIC   "naik solves on isotropic lattices only: leave it out"
#define FIFTH       "naik has no quarks with a fifth dimension"

/* Words of MILC, Chroma, QUDA, Grid, openQCD and tmLQCD. */
static const naik_param_hint other_codes[] = {
    {NULL, "maxiter max_iter maxcg max_cg_iterations maxbicgstab maxiteration max_cg niter nmx",
     MEANT("solver.max_iterations")},
    {NULL,
     "residual residue resid res rsd rsdcg rsdbicgstab rsdtarget rsd_target "
     "error_for_propagator",
     MEANT("solver.tolerance")},
    {NULL, "rel_error_for_propagator", MEANT("solver.site_relative_tolerance")},
    {NULL, "prec precision", MEANT("solver.inner_precision' or 'output.precision")},
    {NULL, "cuda_prec_sloppy prec_sloppy sloppy_precision sloppy", MEANT("solver.inner_precision")},
    {NULL, "inv_type invtype invparam inverter", MEANT("solver.method")},
    {NULL, "clov c_sw clov_c clovcoeff clover_csw csw_r csw_t", MEANT("action.csw")},
    {NULL, "clover_coeff", "QUDA's clover_coeff is kappa csw: give 'action.csw'"},
    {NULL, "2kappamu", "tmLQCD's 2KappaMu is -2 kappa mu: give 'action.mu'"},
    {NULL, "fermion fermact quark_type", MEANT("action.type")},
    {NULL, "nx ny nz nt nrow dims latt_size", MEANT("lattice.size")},
    {NULL, "t_boundary time_bc time_boundary antiperiodic", MEANT("lattice.boundary_t")},
    {NULL, "cfg_file reload_serial reload_parallel", MEANT("gauge.file")},
    {NULL, "t_srce t_source tslice", MEANT("solve.0.source.origin' or 'solve.0.source.t0")},
    {NULL, "position", MEANT("solve.0.source.origin")},
    {NULL, "wvf_param", MEANT("solve.0.source.radius")},
    {NULL, "wvfintpar n_smear nsmear", MEANT("solve.0.source.iterations")},
    {NULL, "smooth smear smearing smear_type smearing_type smeartype quark_smear",
     "naik smears a source whose 'type' is covariant_gaussian, with 'radius' and 'iterations'; "
     "'action.type' says how links are smeared"},
    {NULL, "geom grid_size", MEANT("run.grid")},
    {NULL, "mesons gamma_matrices", MEANT("output.correlators")},
    {NULL, "n_vec nvec nullvecs null_vectors", MEANT("multigrid.vectors")},
    {NULL, "blocking geo_block_size", MEANT("multigrid.aggregate")},
    {NULL, "beta", "the gauge coupling is that of the configuration: leave it out"},
    {NULL, "xi anisotropy anisoparam ani_xiq", ISOTROPIC},
    {"exact_sources", "0 1", "the standard error of the correction needs two sources at least"},
    {"source.type", "wall",
     MEANT("evenandodd_wall', which is every site of a time slice, 'corner_wall' or "
           "'random_wall")},
    {"source.type", "wall_source", MEANT("evenandodd_wall")},
    {"source.type", "point_source", MEANT("point")},
    {"source.type", "shell shell_source smeared gauge_inv_gaussian wuppertal jacobi",
     MEANT("covariant_gaussian")},
    {"source.type", "random_color_wall z2 z2_wall", MEANT("random_wall")},
    {"source.type", "noise", MEANT("random_wall' or 'random_volume")},
    {"action.type", "staggered ks", MEANT("hisq', 'asqtad' or 'naive")},
    {"action.type", "wilson_clover wilson-clover wilsonclover sw", MEANT("clover")},
    {"action.type", "tm tmwilson wilsontm twisted_clover", MEANT("twisted_mass")},
    {"action.type", "domain_wall dwf mobius", FIFTH},
    {"boundary_t", "-1", MEANT("antiperiodic")},
    {"boundary_t", "1", MEANT("periodic")},
    {"inner_precision", "float 32", MEANT("single")},
    {"inner_precision", "64", MEANT("double")},
    {"inner_precision", "16", MEANT("half")},
    {"inner_precision", "mixed", MEANT("auto")},
    {"solver.method", "mg gcr mg_proto_quda", MEANT("multigrid")},
    {"solver.method", "cgne cgnr cg_inverter", MEANT("cg")},
    {"solver.method", "bicgstab_inverter", MEANT("bicgstab")},
    {"correlators", "pi pseudoscalar",
     "did you mean 'pion' of quarks with spin, or 'pion5' of staggered quarks?"},
    {"correlators", "rho vector",
     "did you mean 'rho_x' of quarks with spin, or 'rhox' of staggered quarks?"},
    {"correlators", "a1 axial", MEANT("a1_x")},
    {"correlators", "proton nucleon",
     "baryons have a list of their own: output.baryons: [nucleon]"},
    {"correlators", "delta", "baryons have a list of their own: output.baryons: [delta]"},
    {"correlators", "lambda", "baryons have a section of their own: baryons"},
    {"correlators", "kaon", "a kaon is the pion of two entries of solve: see section pairs"},
    {"baryons", "proton neutron", MEANT("nucleon")},
    {"baryons", "omega", MEANT("delta")},
    {"baryons", "sigma",
     "a Sigma is the nucleon of the quarks [light, strange, light]: see "
     "section baryons"},
    {NULL, NULL, NULL}};

#undef MEANT
#undef ISOTROPIC
#undef FIFTH

#endif

/* baryon_kind.c - definitions of baryons, for files */
#include <stddef.h>

#include "correlator/contraction_kind.h"
#include "propagator/baryon.h"

static const struct {
    int baryon;
    bool spin;
    const char *of_one, *of_three; /* quarks */
} rows[] = {
    {NAIK_NUCLEON, false,
     "sum over x at the source's corner of the hypercube of det G(x), rows by source colour",
     "sum over x at the sources' corner of the hypercube of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_DELTA, false,
     "sum over x at a corner of the hypercube of the sum over source colours of eps_abc det of the "
     "rows D_x G_a, D_y G_b, D_z G_c, D_k the mean of both neighbours in direction k, with thin "
     "links (baryon.h)",
     "sum over x at a corner of the hypercube of the sum over source colours of eps_abc det of the "
     "rows D_x G_a, D_y G_b, D_z G_c of the quarks, mean over the assignments of the quarks to "
     "directions, D_k the mean of both neighbours in direction k, with thin links (baryon.h)"},
    {NAIK_DELTA_COULOMB, false,
     "sum over x at a corner of the hypercube of the sum over source colours of eps_abc det of the "
     "rows D_x G_a, D_y G_b, D_z G_c, D_k the mean of both neighbours in direction k, without "
     "links, in Coulomb gauge (baryon.h)",
     "sum over x at a corner of the hypercube of the sum over source colours of eps_abc det of the "
     "rows D_x G_a, D_y G_b, D_z G_c of the quarks, mean over the assignments of the quarks to "
     "directions, D_k the mean of both neighbours in direction k, without links, in Coulomb gauge "
     "(baryon.h)"},
    {NAIK_NUCLEON_TASTE + 0, false,
     "sum over x where x, y and z modulo 2 are 0, 0 and 0 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 0, 0 and 0 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 1, false,
     "sum over x where x, y and z modulo 2 are 1, 0 and 0 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 1, 0 and 0 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 2, false,
     "sum over x where x, y and z modulo 2 are 0, 1 and 0 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 0, 1 and 0 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 3, false,
     "sum over x where x, y and z modulo 2 are 1, 1 and 0 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 1, 1 and 0 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 4, false,
     "sum over x where x, y and z modulo 2 are 0, 0 and 1 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 0, 0 and 1 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 5, false,
     "sum over x where x, y and z modulo 2 are 1, 0 and 1 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 1, 0 and 1 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 6, false,
     "sum over x where x, y and z modulo 2 are 0, 1 and 1 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 0, 1 and 1 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON_TASTE + 7, false,
     "sum over x where x, y and z modulo 2 are 1, 1 and 1 of det G(x), rows by source colour",
     "sum over x where x, y and z modulo 2 are 1, 1 and 1 of the mean, over the assignments of "
     "source colours to quarks, of det of the rows of their G"},
    {NAIK_NUCLEON, true,
     "sum over x of tr (1 + gt)/2 <N(x) Nbar(x0)>, N = eps_abc (u_a^T C g5 d_b) u_c, C = gy gt "
     "(baryon.h); no 1/V, no sign",
     "sum over x of tr (1 + gt)/2 <N(x) Nbar(x0)>, N = eps_abc (q_a^T C g5 r_b) s_c of the quarks "
     "in their order, C = gy gt; the first and third change places where they are of one entry and "
     "mass (baryon.h); no 1/V, no sign"},
    {NAIK_LAMBDA, true,
     "sum over x of tr (1 + gt)/2 <L(x) Lbar(x0)>, L = 1/sqrt(6) eps_abc [2 (q_a^T C g5 r_b) s_c + "
     "(q_a^T C g5 s_b) r_c - (r_a^T C g5 s_b) q_c] of three flavours, C = gy gt (baryon.h); no "
     "1/V, no sign",
     "sum over x of tr (1 + gt)/2 <L(x) Lbar(x0)>, L = 1/sqrt(6) eps_abc [2 (q_a^T C g5 r_b) s_c + "
     "(q_a^T C g5 s_b) r_c - (r_a^T C g5 s_b) q_c] of three flavours, C = gy gt (baryon.h); no "
     "1/V, no sign"},
    {NAIK_DELTA, true,
     "sum over x, i and j of tr (1 + gt)/2 (delta_ij - gi gj/3) <D_j(x) Dbar_i(x0)>, D_i = "
     "sqrt(2/3) eps_abc [(q_a^T C gi r_b) s_c and the two cyclic terms], C = gy gt (baryon.h); no "
     "1/V, no sign",
     "sum over x, i and j of tr (1 + gt)/2 (delta_ij - gi gj/3) <D_j(x) Dbar_i(x0)>, D_i = "
     "sqrt(2/3) eps_abc [(q_a^T C gi r_b) s_c and the two cyclic terms], C = gy gt (baryon.h); no "
     "1/V, no sign"},
    {NAIK_NUCLEON_ODD, true,
     "sum over x of tr (1 - gt)/2 <N(x) Nbar(x0)>, N = eps_abc (u_a^T C g5 d_b) u_c, C = gy gt "
     "(baryon.h); no 1/V, no sign",
     "sum over x of tr (1 - gt)/2 <N(x) Nbar(x0)>, N = eps_abc (q_a^T C g5 r_b) s_c of the quarks "
     "in their order, C = gy gt; the first and third change places where they are of one entry and "
     "mass (baryon.h); no 1/V, no sign"},
    {NAIK_LAMBDA_ODD, true,
     "sum over x of tr (1 - gt)/2 <L(x) Lbar(x0)>, L = 1/sqrt(6) eps_abc [2 (q_a^T C g5 r_b) s_c + "
     "(q_a^T C g5 s_b) r_c - (r_a^T C g5 s_b) q_c] of three flavours, C = gy gt (baryon.h); no "
     "1/V, no sign",
     "sum over x of tr (1 - gt)/2 <L(x) Lbar(x0)>, L = 1/sqrt(6) eps_abc [2 (q_a^T C g5 r_b) s_c + "
     "(q_a^T C g5 s_b) r_c - (r_a^T C g5 s_b) q_c] of three flavours, C = gy gt (baryon.h); no "
     "1/V, no sign"},
    {NAIK_DELTA_ODD, true,
     "sum over x, i and j of tr (1 - gt)/2 (delta_ij - gi gj/3) <D_j(x) Dbar_i(x0)>, D_i = "
     "sqrt(2/3) eps_abc [(q_a^T C gi r_b) s_c and the two cyclic terms], C = gy gt (baryon.h); no "
     "1/V, no sign",
     "sum over x, i and j of tr (1 - gt)/2 (delta_ij - gi gj/3) <D_j(x) Dbar_i(x0)>, D_i = "
     "sqrt(2/3) eps_abc [(q_a^T C gi r_b) s_c and the two cyclic terms], C = gy gt (baryon.h); no "
     "1/V, no sign"},
};

const char *baryon_definition(int baryon, bool spin, int quarks)
{
    size_t i = 0;
    while (rows[i].baryon != baryon || rows[i].spin != spin) {
        i++;
    }
    return quarks == 1 ? rows[i].of_one : rows[i].of_three;
}

/* unitarize.c - the U(3) projection on the host */
#include "unitarize.inc"

naik_matrix naik_unitarize(const naik_matrix *v, bool *used_svd)
{
    return unitarize(v, used_svd);
}

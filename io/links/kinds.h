/* kinds.h - whether links of other codes are what they are given as; private to io/links */
#ifndef NAIK_IO_LINKS_KINDS_H
#define NAIK_IO_LINKS_KINDS_H

#include "io/links/links_file.h"

/* NAIK_OK, or the sentence that says which of the two files holds other links, other phases or another
 * boundary than expected (naik_links_scidac_read). Collective. NAIK_ERR_INPUT; NAIK_ERR_MEMORY */
naik_status naik_links_check_kinds(const char *fat_path, const char *long_path,
                                   const naik_fatlong *links, const naik_links_boundary *boundary);
/* s of L = s e^{i theta} V of long links: the root of the mean |L|^2 / 3. Collective.
 * NAIK_ERR_INPUT zero, NAIK_ERR_CORRUPT no numbers */
naik_status naik_links_measure_scale(const naik_gauge *links, double *scale);

#endif

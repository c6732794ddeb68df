/* hd.h - what a GPU's compiler wants to hear of functions for host and device; the Makefile tells it
 */
#ifndef NAIK_BASE_HD_H
#define NAIK_BASE_HD_H

#ifndef NAIK_HD /* before the function */
#define NAIK_HD
#define NAIK_UNROLL /* before a loop whose numbers shall be in registers */
#else
#define NAIK_UNROLL _Pragma("unroll")
#endif

#endif

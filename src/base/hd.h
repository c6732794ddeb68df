/* hd.h - what a GPU's compiler wants before a function for host and device; the Makefile tells it
 */
#ifndef NAIK_BASE_HD_H
#define NAIK_BASE_HD_H

#ifndef NAIK_HD
#define NAIK_HD
#endif

#endif

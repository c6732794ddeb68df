/* naik.h - everything that a program which links naik needs; examples/ shows the use */
#ifndef NAIK_NAIK_H
#define NAIK_NAIK_H

#include "naik/comm.h"
#include "naik/gauge.h"
#include "naik/gauge_io.h"
#include "naik/lattice.h"
#include "naik/log.h"
#include "naik/meson.h"
#include "naik/session.h"
#include "naik/source.h"
#include "naik/status.h"
#include "naik/version.h"

#endif

/* point_locale.h - numbers with a point, in a process whose locale has a comma */
#ifndef NAIK_BASE_POINT_LOCALE_H
#define NAIK_BASE_POINT_LOCALE_H

#include <locale.h>

/* The caller's locale, and naik's for the time of a call. */
typedef struct point_locale {
    locale_t mine, before;
} point_locale;

/* Numbers have a point in keys, files and lines, whatever locale the caller has. Local. */
point_locale point_locale_begin(void);
void point_locale_end(point_locale p);

#endif

/* point_locale.c - numbers with a point, in a process whose locale has a comma */
#include "base/point_locale.h"

point_locale point_locale_begin(void)
{
    point_locale p = {.before = uselocale((locale_t)0)};
    locale_t copy = duplocale(p.before);
    p.mine = copy != (locale_t)0 ? newlocale(LC_NUMERIC_MASK, "C", copy) : copy;
    if (p.mine != (locale_t)0) {
        uselocale(p.mine);
    } else if (copy != (locale_t)0) {
        freelocale(copy);
    }
    return p;
}

void point_locale_end(point_locale p)
{
    if (p.mine != (locale_t)0) {
        uselocale(p.before);
        freelocale(p.mine);
    }
}

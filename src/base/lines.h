/* lines.h - texts of lines "name=value" */
#ifndef NAIK_BASE_LINES_H
#define NAIK_BASE_LINES_H

/* The value of the first such line, up to its line's end; or NULL. What was found may be asked for the next. */
const char *naik_line_value(const char *text, const char *name);

#endif

/* facts.c - what every file of naik says about itself, for its description */
#include <stdio.h>
#include <stdlib.h>

#include "io/inspect.h"

void naik_describe_identity(hid_t h5, naik_report *report)
{
    static const char *const names[] = {"format", "format_version", "state",  "writer",    "git",
                                        "uuid",   "created",        "action", "boundary_t"};
    char text[256];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (naik_h5_get_text(h5, names[i], text, sizeof text)) {
            naik_report_text(report, names[i], text);
        }
    }
}

typedef struct collector {
    naik_log *log;
    naik_report *report;
    naik_status status; /* NAIK_ERR_MEMORY, or NAIK_OK: what is damaged is left out */
} collector;

static herr_t add_attribute(hid_t group, const char *name, const H5A_info_t *info, void *context)
{
    const collector *c = context;
    char text[4096];
    (void)info;
    if (naik_h5_get_text(group, name, text, sizeof text)) {
        naik_report_text(c->report, name, text);
    }
    return 0;
}

static herr_t add_document(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    collector *c = context;
    char *text = NULL;
    (void)info;
    /* Only scalars are documents; the list of sessions is not. */
    hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    if (space >= 0 && H5Sget_simple_extent_ndims(space) == 0 &&
        naik_h5_get_document(c->log, group, name, &text) == NAIK_ERR_MEMORY) {
        c->status = NAIK_ERR_MEMORY;
    }
    if (text != NULL && text[0] != '\0') {
        naik_report_text(c->report, name, text);
    }
    free(text);
    naik_h5_release(space);
    naik_h5_release(dataset);
    return 0;
}

naik_status naik_describe_metadata(naik_log *log, hid_t h5, naik_report *report)
{
    collector c = {.log = log, .report = report};
    hid_t group =
        H5Lexists(h5, "metadata", H5P_DEFAULT) > 0 ? H5Gopen2(h5, "metadata", H5P_DEFAULT) : -1;
    if (group < 0) {
        return NAIK_OK;
    }
    naik_report_begin(report, "metadata");
    H5Aiterate2(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_attribute, &c);
    H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, NULL, add_document, &c);
    naik_report_end(report);
    naik_h5_release(group);
    return c.status;
}

void naik_describe_size(const int size[NAIK_DIM], naik_report *report)
{
    char text[64];
    snprintf(text, sizeof text, "%d,%d,%d,%d", size[0], size[1], size[2], size[3]);
    naik_report_text(report, "size", text);
}

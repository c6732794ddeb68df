/* hints.c - hints of the user to MPI-IO */
#include "hints.h"

#include <stdio.h>
#include <string.h>

naik_status naik_hints_create(naik_comm *comm, const char *text, MPI_Info *out)
{
    naik_status status = NAIK_OK;
    char pair[512];
    *out = MPI_INFO_NULL;
    if (text == NULL || text[0] == '\0') {
        return NAIK_OK;
    }
    NAIK_TRY(naik_comm_check(comm, MPI_Info_create(out), "MPI_Info_create"));
    while (*text != '\0') {
        size_t length = strcspn(text, ";");
        snprintf(pair, sizeof pair, "%.*s", (int)length, text);
        char *equals = strchr(pair, '=');
        if (equals != NULL && equals != pair && equals[1] != '\0') {
            *equals = '\0';
            MPI_Info_set(*out, pair, equals + 1);
        }
        text += length + (text[length] == ';');
    }
done:
    return status;
}

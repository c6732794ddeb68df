/* beside.c - a side file is known by how it begins, and one that is known vouches for the others */
#include "io/beside.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/files.h"

typedef struct kind {
    const char *ending, *begin;
    int length;  /* of begin */
    bool solves; /* made by solves only */
} kind;

static const kind kinds[] = {
    {".lock", "host=", 5, false},
    {".part", NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES, false},
    {".journal", "naik-journal ", 13, true},
    {".part.state", "naikflow", 8, true},
    {".part.state.new", "naikflow", 8, true},
    {".part.new", NAIK_FILE_HDF5, NAIK_FILE_HDF5_BYTES, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds, LOCK = 0, PART = 1 };

typedef enum found { ABSENT, EMPTY, KNOWN, FOREIGN } found;

/* A file of zeros is what a system that went down leaves of one that was being written. */
static bool is_zero(const naik_file_head *head)
{
    int i = 0;
    while (i < head->length && head->bytes[i] == 0) {
        i++;
    }
    return i == head->length;
}

static naik_status look(naik_log *log, const char *path, const char *begin, int length, found *out)
{
    struct stat info;
    naik_file_head head;
    *out = ABSENT;
    if (lstat(path, &info) != 0) {
        return NAIK_OK; /* what cannot be looked at is refused by what opens it */
    }
    if (!S_ISREG(info.st_mode)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s is there already and is %s: naik would write to a file of this name, "
                         "so move it away or choose another name for the file that naik makes",
                         path, S_ISLNK(info.st_mode) ? "a symbolic link" : "no regular file");
    }
    NAIK_PASS(naik_file_head_read(log, path, "the file", &head));
    const bool begins = head.length >= length && memcmp(head.bytes, begin, (size_t)length) == 0;
    *out = is_zero(&head) ? EMPTY : begins ? KNOWN : FOREIGN;
    return NAIK_OK;
}

static naik_status refuse(naik_log *log, const char *path)
{
    return NAIK_FAIL(
        log, NAIK_ERR_INPUT,
        "%s is there already and was not left by an interrupted naik: naik would "
        "write over it, so move it away or choose another name for the file that naik makes",
        path);
}

naik_status naik_beside_refuse_other(naik_log *log, const char *path, const char *begin, int length)
{
    found there;
    const naik_status status = look(log, path, begin, length, &there);
    return status == NAIK_OK && there == FOREIGN ? refuse(log, path) : status;
}

naik_status naik_beside_check(naik_log *log, const char *path, naik_beside use)
{
    char name[KINDS][NAIK_PATH_MAX];
    found there[KINDS];
    bool known = false;
    for (int i = 0; i < KINDS; i++) {
        NAIK_PASS(naik_path_append(log, path, kinds[i].ending, name[i]));
        NAIK_PASS(look(log, name[i], kinds[i].begin, kinds[i].length, &there[i]));
        known = known || (there[i] == KNOWN && (use == NAIK_BESIDE_SOLVE || i == LOCK));
    }
    for (int i = 0; i < KINDS; i++) {
        const bool used = use == NAIK_BESIDE_SOLVE || !kinds[i].solves;
        const bool others = there[i] == FOREIGN || (there[i] == KNOWN && i == PART);
        if (used && others && !known && i != LOCK) { /* lock.c judges the lock */
            return refuse(log, name[i]);
        }
    }
    return NAIK_OK;
}

/* PATH without .part and with another ending; false if it is no .part. */
static bool beside_part(const char *path, const char *ending, char out[NAIK_PATH_MAX])
{
    const size_t length = strlen(path), part = strlen(kinds[PART].ending);
    if (length <= part || length >= NAIK_PATH_MAX - 16 ||
        strcmp(path + length - part, kinds[PART].ending) != 0) {
        return false;
    }
    snprintf(out, NAIK_PATH_MAX, "%.*s%s", (int)(length - part), path, ending);
    return true;
}

static bool has_journal(const char *path)
{
    char journal[NAIK_PATH_MAX];
    return beside_part(path, ".journal", journal) && access(journal, F_OK) == 0;
}

bool naik_beside_in_making(const char *path)
{
    char lock[NAIK_PATH_MAX];
    return beside_part(path, kinds[LOCK].ending, lock) && access(lock, F_OK) == 0 &&
           !has_journal(path);
}

naik_status naik_beside_explain(naik_log *log, const char *path, bool in_making, naik_status status)
{
    char text[NAIK_PATH_MAX];
    if (status != NAIK_ERR_CORRUPT && status != NAIK_ERR_INPUT) {
        return status;
    }
    snprintf(text, sizeof text, "%.2000s", naik_log_message(log));
    if (in_making) {
        naik_log_clear(log);
        return NAIK_FAIL(log, NAIK_ERR_INTERRUPTED,
                         "'%s' is still being made, or its command was killed in the making; there "
                         "is nothing in it yet: if that command has ended, run it again",
                         path);
    }
    if (status == NAIK_ERR_CORRUPT && has_journal(path)) {
        naik_log_clear(log);
        return NAIK_FAIL(log, status,
                         "%s; run the same naik solve again: it keeps the solves that are intact",
                         text);
    }
    return status;
}

/* kept_lines.c - small files of lines that runs share: read, merged, renamed
 *
 * There is no lock: file systems of clusters differ in what locks mean, and what is lost costs seconds.
 */
#include "comm/kept_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 20, PATH_BYTES = 4200 };

static size_t line_length(const char *text)
{
    const size_t length = strcspn(text, "\n");
    return length + (text[length] == '\n');
}

static bool is_header(const char *line, const char *mark)
{
    return strncmp(line, mark, strlen(mark)) == 0;
}

static bool is_line(const char *line, const char *text)
{
    const size_t length = strlen(text);
    return strncmp(line, text, length) == 0 && (line[length] == '\n' || line[length] == '\0');
}

/* Bytes of a section behind its header. */
static size_t section_length(const char *text, const char *mark)
{
    size_t length = 0;
    while (text[length] != '\0' && !is_header(text + length, mark)) {
        length += line_length(text + length);
    }
    return length;
}

/* All of a file that is not too large; "" where there is none, NULL without memory. */
static char *read_all(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, MOST_BYTES + 1);
    if (file != NULL) {
        if (text != NULL) {
            text[fread(text, 1, MOST_BYTES, file)] = '\0';
        }
        fclose(file);
    }
    return text;
}

static const char *find_section(const char *text, const char *mark, const char *header)
{
    while (*text != '\0') {
        const char *behind = text + line_length(text);
        if (is_line(text, header)) {
            return behind;
        }
        text = behind + section_length(behind, mark);
    }
    return NULL;
}

void naik_kept_lines_read(const char *path, const char *mark, const char *header, char **lines,
                          bool *other)
{
    char *text = read_all(path);
    const char *section = text != NULL ? find_section(text, mark, header) : NULL;
    *other = text != NULL && text[0] != '\0' && !is_header(text, mark);
    *lines =
        *other || section == NULL ? calloc(1, 1) : strndup(section, section_length(section, mark));
    free(text);
}

/* Whether one of the lines has the key of `line`. */
static bool has_key(const char *lines, const char *line)
{
    const size_t key = strcspn(line, ":\n");
    for (; *lines != '\0'; lines += line_length(lines)) {
        if (strcspn(lines, ":\n") == key && strncmp(lines, line, key) == 0) {
            return true;
        }
    }
    return false;
}

/* The section as it was, without lines that have new values, and whole lines only. */
static bool put_rest(FILE *file, const char *section, const char *mark, const char *lines)
{
    const char *end = section + section_length(section, mark);
    bool good = true;
    for (size_t length; section < end; section += length) {
        length = line_length(section);
        if (section[length - 1] == '\n' && !has_key(lines, section)) {
            good = fwrite(section, 1, length, file) == length && good;
        }
    }
    return good;
}

/* Makes the folders above the file. */
static void make_folders(const char *path)
{
    char *folder = strdup(path);
    for (char *at = folder != NULL ? strchr(folder + 1, '/') : NULL; at != NULL;
         at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(folder, 0777);
        *at = '/';
    }
    free(folder);
}

static bool put_all(FILE *file, const char *text, const char *mark, const char *header,
                    const char *lines)
{
    const char *own = find_section(text, mark, header);
    bool good = fprintf(file, "%s\n%s", header, lines) > 0;
    int sections = 1;
    good = (own == NULL || put_rest(file, own, mark, lines)) && good;
    while (*text != '\0') {
        const size_t head = line_length(text), length = head + section_length(text + head, mark);
        if (!is_line(text, header) && sections++ < NAIK_KEPT_SECTIONS) {
            good = fwrite(text, 1, length, file) == length && good;
        }
        text += length;
    }
    return good;
}

bool naik_kept_lines_merge(const char *path, const char *mark, const char *header,
                           const char *lines)
{
    char name[PATH_BYTES];
    bool good = false;
    make_folders(path);
    char *text = read_all(path); /* others may have written since it was read */
    const int n = snprintf(name, sizeof name, "%s.%ld", path, (long)getpid());
    if (text == NULL || n >= (int)sizeof name || (text[0] != '\0' && !is_header(text, mark))) {
        goto done;
    }
    FILE *file = fopen(name, "w");
    if (file == NULL) {
        goto done;
    }
    good = put_all(file, text, mark, header, lines);
    good = fclose(file) == 0 && good;
    good = good && rename(name, path) == 0;
    if (!good) {
        (void)unlink(name);
    }
done:
    free(text);
    return good;
}

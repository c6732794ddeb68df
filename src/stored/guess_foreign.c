/* guess_foreign.c - solve[].guess: a propagator of another code as starting values */
#include "stored/guess_foreign.h"

#include <math.h>
#include <stdio.h>

enum { FACTOR = 64 };

naik_status guess_foreign_recognise(naik_comm *comm, const char *path, bool *there)
{
    *there = comm->rank == 0 && naik_vector_file_begins(comm->log, path);
    return naik_comm_broadcast(comm, there, sizeof *there, 0);
}

static int tasks_of(const naik_input *input, int solve)
{
    int count = 0;
    for (int i = 0; i < input->task_count; i++) {
        count += input->tasks[i].solve == solve;
    }
    return count;
}

naik_status guess_foreign_open(const naik_lattice *lattice, const naik_input *input, int solve,
                               bool read, guess_foreign *out)
{
    naik_status status = NAIK_OK;
    naik_comm *comm = lattice->comm;
    const char *path = input->solve[solve].guess;
    const int columns = input->kind->columns;
    naik_vector_file *file = NULL;
    *out = (guess_foreign){.there = true};
    NAIK_TRY(foreign_open(lattice, path, columns, "starting values", &file));
    if (tasks_of(input, solve) != columns) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "guess '%s' holds one propagator of another code, but solve.%d ('%s') "
                           "has %d: make it an entry of one source and one mass",
                           path, solve, input->solve[solve].name, tasks_of(input, solve) / columns);
    }
    NAIK_TRY(status);
    if (read) {
        NAIK_TRY(foreign_identify(lattice, path, NAIK_VECTOR_SOLUTION, columns, out->sum));
        out->known = true;
    }
    naik_log_line(comm->log,
                  "guess: starting values for %s come from %s (%s of another code, %d bit, %s)",
                  input->solve[solve].name, path, file->format, file->precision,
                  file->has_checksums ? "checksums in the file" : "no checksum in the file");
done:
    naik_vector_file_close(&file);
    return status;
}

naik_status guess_foreign_read(const guess_foreign *guess, const naik_lattice *lattice,
                               const naik_input_solve *solve, int column, double *x)
{
    return foreign_read(lattice, solve->guess, NAIK_VECTOR_SOLUTION, column,
                        guess->known ? guess->sum[column] : NULL, x);
}

/* Whether x is not begun from as it is. */
static bool is_changed(const naik_start_value *value)
{
    return value->scale != 1 || value->signs || value->times > 0;
}

/* What x is multiplied by. */
static const char *factor_of(const naik_start_value *value, char text[FACTOR])
{
    if (value->times > 0) {
        snprintf(text, FACTOR, "%.6g exp(i pi (t - %d)/%d)", value->scale, value->t0, value->times);
    } else {
        snprintf(text, FACTOR, "%.6g%s", value->scale, value->signs ? " (-1)^(t (x+y+z))" : "");
    }
    return text;
}

void guess_foreign_weighed(guess_foreign *guess, naik_log *log, const naik_input_solve *solve,
                           const naik_start_value *value)
{
    char factor[FACTOR];
    if (value->scale == 0) {
        if (guess->left++ == 0) {
            naik_log_warn(
                log,
                "guess '%s' does not solve the system of '%s': |src - M x| is %.2g |src|; "
                "such solves begin without it",
                solve->guess, solve->name, value->residual);
        }
        return;
    }
    guess->worst = fmax(guess->worst, value->residual);
    if (is_changed(value)) {
        guess->scaled++;
        guess->last = *value;
    }
    if (guess->taken++ > 0) {
        return;
    }
    if (is_changed(value)) {
        naik_log_line(log,
                      "guess: %s solves the system of %s after multiplication by %s, as another "
                      "code writes M; residual then %.1e",
                      solve->guess, solve->name, factor_of(value, factor), value->residual);
    } else {
        naik_log_line(log, "guess: %s solves the system of %s with residual %.1e", solve->guess,
                      solve->name, value->residual);
    }
}

bool guess_foreign_summary(const guess_foreign *guess, const naik_input_solve *solve, char *text,
                           size_t text_size)
{
    char scaled[96] = "", left[64] = "", factor[FACTOR];
    if (guess->taken + guess->left == 0) {
        return false;
    }
    if (guess->taken == 0) {
        snprintf(text, text_size, "no solve of %s began from another code's %s", solve->name,
                 solve->guess);
        return true;
    }
    if (guess->scaled > 0) {
        snprintf(scaled, sizeof scaled, ", %d of them times %s", guess->scaled,
                 factor_of(&guess->last, factor));
    }
    if (guess->left > 0) {
        snprintf(left, sizeof left, ", and %d began without it", guess->left);
    }
    snprintf(text, text_size,
             "%d solves of %s began from another code's %s, residuals at most %.1e%s%s",
             guess->taken, solve->name, solve->guess, guess->worst, scaled, left);
    return true;
}

/* test_hermitian.c - the dense eigenproblem and Cholesky against their definitions
 *
 * ranks: 1
 */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "check.h"
#include "comm/threads.h"
#include "modes/hermitian.h"

static naik_complex *matrix(int n)
{
    return calloc((size_t)n * (size_t)n, sizeof(naik_complex));
}

/* Random hermitian; rank < n leaves a null space. */
static void fill(int n, int rank, uint64_t seed, naik_complex *a)
{
    naik_complex *b = matrix(n);
    naik_rng rng = naik_rng_at(seed, 3, 1);
    for (int i = 0; i < rank * n; i++) {
        b[i].re = naik_rng_gaussian(&rng);
        b[i].im = naik_rng_gaussian(&rng);
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            naik_complex *to = &a[i * n + j];
            *to = (naik_complex){0, 0};
            for (int k = 0; k < rank; k++) { /* b^+ b */
                const naik_complex x = b[k * n + i], y = b[k * n + j];
                to->re += x.re * y.re + x.im * y.im;
                to->im += x.re * y.im - x.im * y.re;
            }
        }
    }
    free(b);
}

/* Largest |a z_j - value_j z_j| and |z^+ z - 1| over elements. */
static void check_solution(check *t, int n, const naik_complex *a, const double *value,
                           const naik_complex *z)
{
    double residual = 0, unitarity = 0, scale = 0;
    for (int j = 0; j < n; j++) {
        scale = fmax(scale, fabs(value[j]));
        CHECK_TRUE(t, j == 0 || value[j] >= value[j - 1]);
        for (int i = 0; i < n; i++) {
            double re = -value[j] * z[i * n + j].re, im = -value[j] * z[i * n + j].im;
            double pr = i == j ? -1 : 0, pi = 0;
            for (int k = 0; k < n; k++) {
                const naik_complex x = a[i * n + k], y = z[k * n + j], w = z[k * n + i];
                re += x.re * y.re - x.im * y.im;
                im += x.re * y.im + x.im * y.re;
                pr += w.re * y.re + w.im * y.im;
                pi += w.re * y.im - w.im * y.re;
            }
            residual = naik_worst(residual, hypot(re, im));
            unitarity = naik_worst(unitarity, hypot(pr, pi));
        }
    }
    CHECK_NEAR(t, residual / fmax(scale, 1e-300), 0, 1e-15 * n + 2e-15);
    CHECK_NEAR(t, unitarity, 0, 1e-15 * n + 2e-15);
}

/* A number in KiB that Linux says of this process, as bytes; 0 where it does not. */
static double of_process(const char *name)
{
    char line[256];
    double kib = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, strlen(name)) == 0) {
            kib = strtod(line + strlen(name), NULL);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return 1024 * kib;
}

/* The first case, because the most that a process had does not grow less. A sanitizer has memory of its own. */
static void its_memory_is_what_is_planned(check *t)
{
    enum { N = 400 };
    naik_complex *a = matrix(N), *z = matrix(N);
    double *value = calloc(N, sizeof *value);
    CHECK_REQUIRE(t, a != NULL && z != NULL && value != NULL);
    fill(N, 2, 9, a);
    for (int i = 0; i < N * N; i++) {
        z[i].re = 1; /* pages count that were written to */
    }
    const double before = of_process("VmRSS:");
    CHECK_OK(t, naik_hermitian_solve(t->log, N, a, value, z));
    const double most = of_process("VmHWM:"), planned = (double)naik_hermitian_bytes(N);
    if (mallinfo2().uordblks > 0 && before > 0) {
        CHECK_NEAR(t, (most - before) / planned, 1, 0.1);
    }
    free(a);
    free(z);
    free(value);
}

static void eigenvectors_satisfy_the_equation(check *t)
{
    for (int n = 1; n <= 70; n += n < 6 ? 1 : 16) {
        naik_complex *a = matrix(n), *copy = matrix(n), *z = matrix(n);
        double value[70];
        for (int rank = n; rank > 0; rank /= 4) { /* degenerate zeros, too */
            fill(n, rank, (uint64_t)n, a);
            memcpy(copy, a, (size_t)(n * n) * sizeof *a);
            CHECK_OK(t, naik_hermitian_solve(t->log, n, copy, value, z));
            check_solution(t, n, a, value, z);
        }
        free(a);
        free(copy);
        free(z);
    }
}

/* Sizes at which threads share the work, with null spaces of which rounding leaves noise. */
static void large_null_spaces_are_found_with_bits_that_no_thread_changes(check *t)
{
    static const int size[] = {65, 80, 129};
    const int threads = naik_threads_count();
    for (int k = 0; k < 3; k++) {
        const int n = size[k];
        const size_t bytes = (size_t)n * (size_t)n * sizeof(naik_complex);
        naik_complex *a = matrix(n), *z = matrix(n), *other = matrix(n);
        double value[2][129];
        for (int rank = 1; rank <= n; rank += (n - 1) / 4) {
            fill(n, rank, (uint64_t)n, a);
            naik_threads_use(1);
            CHECK_OK(t, naik_hermitian_solve(t->log, n, a, value[0], z));
            naik_threads_use(3);
            CHECK_OK(t, naik_hermitian_solve(t->log, n, a, value[1], other));
            CHECK_TRUE(t, memcmp(z, other, bytes) == 0 &&
                              memcmp(value[0], value[1], (size_t)n * sizeof *value[0]) == 0);
            check_solution(t, n, a, value[0], z);
        }
        free(a);
        free(z);
        free(other);
    }
    naik_threads_use(threads);
}

static void diagonal_and_zero_matrices_are_solved(check *t)
{
    enum { N = 5 };
    naik_complex a[N * N] = {{0}}, z[N * N], copy[N * N];
    double value[N];
    memcpy(copy, a, sizeof a);
    CHECK_OK(t, naik_hermitian_solve(t->log, N, copy, value, z));
    check_solution(t, N, a, value, z);
    for (int i = 0; i < N; i++) {
        a[i * N + i].re = i == 2 ? 7 : 3; /* four equal eigenvalues */
    }
    memcpy(copy, a, sizeof a);
    CHECK_OK(t, naik_hermitian_solve(t->log, N, copy, value, z));
    check_solution(t, N, a, value, z);
    CHECK_TRUE(t, value[N - 1] == 7 && value[0] == 3);
}

static void what_is_no_number_is_refused(check *t)
{
    naik_complex a[9] = {{1, 0}, {0, 0}, {0, 0}, {NAN, 0}, {2, 0}, {0, 0}, {0, 1}, {1, 0}, {1, 0}};
    naik_complex z[9];
    double value[3];
    CHECK_STATUS(t, naik_hermitian_solve(t->log, 3, a, value, z), NAIK_ERR_ARG);
}

static void cholesky_and_its_inverse_multiply_to_one(check *t)
{
    enum { N = 12 };
    naik_complex *a = matrix(N), *r = matrix(N), *inverse = matrix(N);
    double condition, worst = 0, product = 0;
    fill(N, N, 5, a);
    naik_hermitian_cholesky(N, a, r, inverse, &condition);
    CHECK_TRUE(t, condition > 0 && condition <= 1);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            naik_complex x = {-a[i * N + j].re, -a[i * N + j].im}, y = {i == j ? -1 : 0, 0};
            for (int k = 0; k < N; k++) {
                const naik_complex p = r[k * N + i], q = r[k * N + j];
                const naik_complex s = r[i * N + k], u = inverse[k * N + j];
                x.re += p.re * q.re + p.im * q.im;
                x.im += p.re * q.im - p.im * q.re;
                y.re += s.re * u.re - s.im * u.im;
                y.im += s.re * u.im + s.im * u.re;
            }
            worst = naik_worst(worst, hypot(x.re, x.im));
            product = naik_worst(product, hypot(y.re, y.im));
        }
    }
    CHECK_NEAR(t, worst / a[0].re, 0, 1e-14);
    CHECK_NEAR(t, product, 0, 1e-11); /* times its condition number */
    fill(N, N / 2, 5, a);             /* of half the rank */
    a[N * N - 1].re -= 1e-6;
    naik_hermitian_cholesky(N, a, r, inverse, &condition);
    CHECK_TRUE(t, condition < 1e-6);
    free(a);
    free(r);
    free(inverse);
}

CHECK_MAIN(CHECK(its_memory_is_what_is_planned), CHECK(eigenvectors_satisfy_the_equation),
           CHECK(large_null_spaces_are_found_with_bits_that_no_thread_changes),
           CHECK(diagonal_and_zero_matrices_are_solved), CHECK(what_is_no_number_is_refused),
           CHECK(cholesky_and_its_inverse_multiply_to_one))

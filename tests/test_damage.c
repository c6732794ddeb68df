/* test_damage.c - a flipped bit or a missing end in any HDF5, LIME or FNAL file
 *
 * ranks: 1
 *
 * Whatever happens to the file, the answer is the one that the whole file gives, or a sentence and
 * exit status 1 or 4. A case of HDF5 runs in a child process, because HDF5 may crash on damaged
 * metadata; so many of the bytes that are not zero are hit, evenly, in the long run more of them.
 * Of the other files the first 128 bytes are hit and one of 11 of the first third, which has a
 * record of each kind; in the long run every byte, and every length is tried.
 */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "damaged_modes.h"
#include "io/checksum.h"
#include "io/file_info.h"
#include "io/h5/guard.h"
#include "io/links/links_file.h"
#include "io/prop/reader.h"
#include "io/vectors/vector_io.h"
#include "lattice/su3.h"
#include "propagator_fixture.h"
#include "scaled_links.h"
#include "vector_fixture.h"

enum {
    HITS = 40,
    LONG_HITS = 1000,
    CUTS = 16,
    OTHER_ANSWER = 90,
    SILENT = 91,
    HANGS_AFTER_S = 30,
    FNAL_HEADER = 36
};

static const int size[NAIK_DIM] = {2, 2, 2, ROOM_T};

static bool is_long(void)
{
    return getenv("NAIK_TEST_LONG") != NULL;
}

typedef struct victim {
    const char *name;
    naik_status (*write)(const naik_lattice *lattice, const char *path);
    naik_status (*read)(const naik_lattice *lattice, const char *path, answer *out);
    bool plain;       /* no HDF5 */
    size_t unguarded; /* where data without a checksum begin; 0: there are none */
} victim;

static void add_text(answer *a, const char *text)
{
    answer_add(a, text, strlen(text));
}

static void add_links(answer *a, const naik_gauge *links)
{
    answer_add(a, links->link, (size_t)links->lattice->sites * 4 * sizeof *links->link);
}

/* ---- configurations */

static naik_status write_gauge(const naik_lattice *lattice, const char *path, const char *format)
{
    naik_gauge *gauge = NULL;
    const naik_gauge_meta meta = {.ensemble = "made up", .input_text = "seed 3"};
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create(lattice, &gauge));
    naik_gauge_set_random(gauge, 3);
    NAIK_TRY(naik_gauge_write(path, format, gauge, 64, &meta));
done:
    naik_gauge_destroy(&gauge);
    return status;
}

static naik_status write_naik(const naik_lattice *lattice, const char *path)
{
    return write_gauge(lattice, path, "naik");
}

static naik_status write_pyquda(const naik_lattice *lattice, const char *path)
{
    return write_gauge(lattice, path, "pyquda");
}

static naik_status read_gauge(const naik_lattice *lattice, const char *path, answer *out)
{
    static const naik_gauge_load_options as_stored = {.reunitarise = false};
    naik_gauge *gauge = NULL;
    naik_gauge_file file = {0};
    naik_gauge_checks checks;
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_gauge_create(lattice, &gauge));
    NAIK_TRY(naik_gauge_load(path, &as_stored, gauge, &file, &checks));
    add_links(out, gauge);
    add_text(out, file.uuid);
    add_text(out, file.header_text != NULL ? file.header_text : "");
done:
    naik_gauge_file_clear(&file);
    naik_gauge_destroy(&gauge);
    return status;
}

/* ---- fat and long links */

static naik_status write_links(const naik_lattice *lattice, const char *path)
{
    naik_gauge *links[2] = {NULL, NULL};
    naik_status status = NAIK_OK;
    for (int i = 0; i < 2; i++) {
        NAIK_TRY(naik_gauge_create(lattice, &links[i]));
        naik_gauge_set_random(links[i], 5 + (uint64_t)i);
    }
    const naik_fatlong first = {.fat = links[0], .long_links = links[1], .long_scale = -1. / 24};
    const naik_fatlong second = {.fat = links[1],
                                 .long_links = links[0],
                                 .naik_epsilon = -0.25,
                                 .long_scale = -1. / 32,
                                 .svd_count = 3};
    scale_links(links[1], first.long_scale);
    scale_links(links[0], second.long_scale);
    const naik_fatlong *const sets[2] = {&first, &second};
    NAIK_TRY(naik_links_h5_write(path, sets, 2, "hisq", "antiperiodic", 64, NULL));
done:
    naik_gauge_destroy(&links[0]);
    naik_gauge_destroy(&links[1]);
    return status;
}

static naik_status read_links(const naik_lattice *lattice, const char *path, answer *out)
{
    static const double epsilon[2] = {0, -0.25};
    naik_fatlong *links = NULL;
    char text[128];
    naik_status status = NAIK_OK;
    for (int i = 0; i < 2; i++) {
        NAIK_TRY(naik_links_h5_read(path, lattice, epsilon[i], "antiperiodic", &links));
        add_links(out, links->fat);
        add_links(out, links->long_links);
        const double numbers[3] = {links->naik_epsilon, links->long_scale,
                                   (double)links->svd_count};
        answer_add(out, numbers, sizeof numbers);
        naik_fatlong_destroy(&links);
    }
    NAIK_TRY(naik_links_h5_identity(path, lattice, epsilon, 2, "antiperiodic", text, sizeof text));
    add_text(out, text);
done:
    return status;
}

/* The fat links are damaged, the long ones whole. */
static naik_status write_scidac(const naik_lattice *lattice, const char *path)
{
    char other[160];
    naik_gauge *fat = NULL, *far = NULL;
    naik_status status = NAIK_OK;
    snprintf(other, sizeof other, "%s.long", path);
    NAIK_TRY(naik_gauge_create(lattice, &fat));
    NAIK_TRY(naik_gauge_create(lattice, &far));
    naik_gauge_set_random(fat, 3);
    naik_gauge_set_random(far, 4);
    for (int64_t i = 0; i < (int64_t)lattice->sites * NAIK_DIM; i++) {
        naik_mat_add(&fat->link[i], 0.5, &far->link[i]);
        far->link[i] = naik_mat_scale(0.1, &far->link[i]);
    }
    naik_gauge_apply_phases(fat, false);
    naik_gauge_apply_phases(far, false);
    NAIK_TRY(naik_gauge_write(path, "ildg", fat, 64, NULL));
    NAIK_TRY(naik_gauge_write(other, "ildg", far, 64, NULL));
done:
    naik_gauge_destroy(&fat);
    naik_gauge_destroy(&far);
    return status;
}

static naik_status read_scidac(const naik_lattice *lattice, const char *path, answer *out)
{
    char other[160];
    naik_fatlong *links = NULL;
    snprintf(other, sizeof other, "%s.long", path);
    const naik_links_boundary boundary = {.name = "periodic", .given = true};
    naik_status status = naik_links_scidac_read(path, other, lattice, 0, &boundary, &links);
    if (status == NAIK_OK) {
        add_links(out, links->fat);
        add_links(out, links->long_links);
    }
    naik_fatlong_destroy(&links);
    return status;
}

/* ---- propagators */

static naik_status write_propagators(const naik_lattice *lattice, const char *path)
{
    naik_propagator_file *file = NULL;
    const naik_propagator_spec spec = room_spec();
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_propagator_file_open(lattice, path, &spec, true, &file));
    for (int solve = 0; solve < ROOM_SOLVES; solve++) {
        NAIK_TRY(room_commit(lattice, file, solve));
    }
    NAIK_TRY(naik_propagator_file_finish(file));
done:
    naik_propagator_file_close(&file);
    return status;
}

static naik_status read_propagators(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_propagator_file *file = NULL;
    double *solution = malloc((size_t)lattice->sites * 6 * sizeof *solution), corr[ROOM_CORR];
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_propagator_file_open_finished(lattice, path, &file));
    for (int solve = 0; solve < naik_propagator_file_solves(file); solve++) {
        const naik_solve_record *record = naik_propagator_file_record(file, solve);
        NAIK_TRY(naik_propagator_file_read_solution(file, solve, solution));
        answer_add(out, solution, (size_t)lattice->sites * 6 * sizeof *solution);
        answer_add(out, &record->true_residual, sizeof record->true_residual);
        if (solve % 3 == 2) {
            NAIK_TRY(
                naik_propagator_file_read_correlators(file, record->source, record->mass, corr));
        }
    }
done:
    naik_propagator_file_close(&file);
    free(solution);
    return status;
}

/* As `naik info`: its verdict. */
static naik_status read_report(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_report *report = naik_report_create();
    naik_status verdict = NAIK_OK;
    naik_status status = naik_file_describe(lattice->comm, path, true, report, &verdict);
    naik_report_destroy(&report);
    if (status == NAIK_OK && verdict != NAIK_OK) {
        status = NAIK_FAIL(lattice->comm->log, verdict, "the verdict is bad");
    }
    answer_add(out, "", 0);
    return status;
}

/* As `naik report`: what is damaged is left out or told, never shown otherwise. */
static naik_status read_all(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_propagator_reader *view = NULL;
    naik_status status = naik_propagator_reader_open(lattice->comm->log, path, 0, 256, &view);
    if (status == NAIK_OK && view->edited[0] != '\0') {
        status = NAIK_FAIL(lattice->comm->log, NAIK_ERR_CORRUPT, "%s", view->edited);
    }
    for (int i = 0; status == NAIK_OK && i < view->pair_count; i++) {
        const double numbers[2] = {view->pairs[i].quark.mass, view->pairs[i].quark.naik_epsilon};
        if (strcmp(view->pairs[i].label, "damaged") == 0) {
            status = NAIK_FAIL(lattice->comm->log, NAIK_ERR_CORRUPT, "damaged records");
        }
        answer_add(out, numbers, sizeof numbers);
        add_text(out, view->pairs[i].label);
        add_text(out, view->pairs[i].source);
    }
    naik_propagator_reader_destroy(&view);
    return status;
}

/* ---- vectors of other codes */

static naik_status write_pairs(const naik_lattice *lattice, const char *path)
{
    naik_pair_writer *writer = NULL;
    double *vector = malloc((size_t)lattice->sites * 6 * sizeof *vector);
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_pair_writer_create(lattice, path, 1, 64, "made up", &writer));
    for (int colour = 0; colour < 3; colour++) {
        room_fill_solution(lattice, colour, vector);
        NAIK_TRY(naik_pair_writer_add(writer, vector, vector, "made up"));
    }
    NAIK_TRY(naik_pair_writer_finish(&writer));
done:
    naik_pair_writer_abandon(&writer);
    free(vector);
    return status;
}

static naik_status write_vectors(const naik_lattice *lattice, const char *path)
{
    vector_write_lime(lattice->comm, path, lattice->size, 3, 32, false, true);
    return NAIK_OK;
}

static naik_status write_slices(const naik_lattice *lattice, const char *path)
{
    vector_write_lime(lattice->comm, path, lattice->size, 3, 64, true, true);
    return NAIK_OK;
}

static naik_status write_fnal(const naik_lattice *lattice, const char *path)
{
    vector_write_fnal(lattice->comm, path, lattice->size, false);
    return NAIK_OK;
}

static naik_status write_fnal_big(const naik_lattice *lattice, const char *path)
{
    vector_write_fnal(lattice->comm, path, lattice->size, true);
    return NAIK_OK;
}

static naik_status read_pairs(const naik_lattice *lattice, const char *path, answer *out)
{
    naik_vector_file *file = NULL;
    const size_t bytes = (size_t)lattice->sites * 6 * sizeof(double);
    double *vector = malloc(bytes);
    naik_status status = NAIK_OK;
    NAIK_TRY(naik_vector_file_open(lattice->comm, path, &file));
    if (file->count != 3) { /* as naik solve: a colour each */
        status = NAIK_FAIL(lattice->comm->log, NAIK_ERR_INPUT, "vectors are missing");
        goto done;
    }
    for (int i = 0; i < file->count; i++) {
        NAIK_TRY(naik_vector_file_read(file, lattice, NAIK_VECTOR_SOLUTION, i, vector));
        answer_add(out, vector, bytes);
    }
    for (int i = 0; i < file->count && file->has_sources; i++) {
        NAIK_TRY(naik_vector_file_read(file, lattice, NAIK_VECTOR_SOURCE, i, vector));
        answer_add(out, vector, bytes);
    }
done:
    naik_vector_file_close(&file);
    free(vector);
    return status;
}

/* ---- damage */

typedef struct scene {
    naik_lattice *lattice;
    const victim *victim;
    char path[NAIK_PATH_MAX];
    unsigned char *bytes;
    size_t size_bytes;
    answer whole;
} scene;

static void put(const scene *s, size_t offset, size_t size_bytes)
{
    FILE *stream = fopen(s->path, "r+b");
    if (stream == NULL || fseek(stream, (long)offset, SEEK_SET) != 0 ||
        fwrite(s->bytes + offset, 1, size_bytes, stream) != size_bytes || fclose(stream) != 0) {
        abort();
    }
}

/* The child: 0 with the same answer, 1 or 4 with a sentence, or what is wrong. */
static int look(const scene *s)
{
    naik_log *log = s->lattice->comm->log;
    answer found = {0};
    naik_log_clear(log);
    const naik_status status = s->victim->read(s->lattice, s->path, &found);
    const int code = naik_status_exit(status);
    if (status != NAIK_OK && naik_log_message(log)[0] == '\0') {
        return SILENT;
    }
    return code == 0 && found.crc != s->whole.crc ? OTHER_ANSWER : code;
}

/* look(), in a process of its own; -N where signal N ended it. */
static int look_for_quarantined(const scene *s)
{
    int ended = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
        alarm(HANGS_AFTER_S);
        _exit(look(s));
    }
    if (child < 0 || waitpid(child, &ended, 0) != child) {
        abort();
    }
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : -WTERMSIG(ended);
}

static void judge(check *t, const scene *s, bool flipped, size_t where)
{
    const victim *v = s->victim;
    const int code = v->plain ? look(s) : look_for_quarantined(s);
    const bool unseen =
        code == OTHER_ANSWER && flipped && v->unguarded > 0 && where >= v->unguarded;
    if (!CHECK_TRUE(t, code == 0 || code == 1 || code == 4 || unseen)) {
        fprintf(stderr, "%s, %s at byte %zu of %zu: %d\n", v->name,
                flipped ? "a flipped bit" : "a cut", where, s->size_bytes, code);
    }
}

static bool prepare(check *t, const victim *v, scene *s)
{
    *s = (scene){.victim = v};
    snprintf(s->path, sizeof s->path, "%s/damage_%ld", check_folder(), (long)getpid());
    if (!CHECK_OK(t, naik_lattice_create(t->comm, size, NULL, &s->lattice)) ||
        !CHECK_OK(t, v->write(s->lattice, s->path)) ||
        !CHECK_OK(t, v->read(s->lattice, s->path, &s->whole))) {
        return false;
    }
    FILE *stream = fopen(s->path, "rb");
    fseek(stream, 0, SEEK_END);
    s->size_bytes = (size_t)ftell(stream);
    rewind(stream);
    s->bytes = malloc(s->size_bytes);
    const bool ok = fread(s->bytes, 1, s->size_bytes, stream) == s->size_bytes;
    fclose(stream);
    return CHECK_TRUE(t, ok);
}

static void tidy(scene *s)
{
    char other[NAIK_PATH_MAX + 16];
    snprintf(other, sizeof other, "%s.long", s->path);
    remove(other);
    remove(s->path);
    free(s->bytes);
    naik_lattice_destroy(&s->lattice);
}

/* Of HDF5: every how manieth byte that is not zero is hit. */
static size_t stride_of(const scene *s)
{
    size_t filled = 0;
    for (size_t i = 0; i < s->size_bytes; i++) {
        filled += s->bytes[i] != 0;
    }
    return filled / (is_long() ? LONG_HITS : HITS) + 1;
}

static bool plain_hit(const scene *s, size_t at)
{
    return is_long() || at < 128 || (at < s->size_bytes / 3 ? at % 11 == 0 : at % 331 == 0);
}

static void flip_bits(check *t, scene *s)
{
    const size_t stride = stride_of(s);
    size_t seen = 0;
    for (size_t i = 0; i < s->size_bytes && !t->failed; i++) {
        if (s->victim->plain ? !plain_hit(s, i) : s->bytes[i] == 0 || seen++ % stride != 0) {
            continue;
        }
        const unsigned char bit = (unsigned char)(1u << ((i * 5 + i / 8) % 8));
        s->bytes[i] ^= bit;
        put(s, i, 1);
        judge(t, s, true, i);
        s->bytes[i] ^= bit;
        put(s, i, 1);
    }
}

static void harm(check *t, const victim *v)
{
    scene s;
    if (prepare(t, v, &s)) {
        flip_bits(t, &s);
        const size_t cuts = v->plain && is_long() ? s.size_bytes : v->plain ? 10 * CUTS : CUTS;
        for (size_t i = cuts; i-- > 0 && !t->failed;) {
            const size_t end = s.size_bytes * i / cuts;
            CHECK_INT(t, truncate(s.path, (off_t)end), 0);
            judge(t, &s, false, end);
        }
    }
    tidy(&s);
}

static void damaged_configurations_never_pass(check *t)
{
    static const victim naik = {"naik gauge", write_naik, read_gauge, false, 0};
    static const victim pyquda = {"pyquda gauge", write_pyquda, read_gauge, false, 0};
    harm(t, &naik);
    harm(t, &pyquda);
}

static void damaged_link_files_never_pass(check *t)
{
    static const victim own = {"naik links", write_links, read_links, false, 0};
    static const victim info = {"naik info of links", write_links, read_report, false, 0};
    static const victim scidac = {"scidac links", write_scidac, read_scidac, false, 0};
    harm(t, &own);
    harm(t, &info);
    harm(t, &scidac);
}

static void damaged_propagators_never_pass(check *t)
{
    static const victim data = {"propagators", write_propagators, read_propagators, false, 0};
    static const victim info = {"naik info of propagators", write_propagators, read_report, false,
                                0};
    static const victim view = {"naik report", write_propagators, read_all, false, 0};
    harm(t, &data);
    harm(t, &info);
    harm(t, &view);
}

static void damaged_vectors_never_pass(check *t)
{
    static const victim victims[] = {
        {"usqcd pairs", write_pairs, read_pairs, true, 0},
        {"usqcd pairs on a time slice", write_slices, read_pairs, true, 0},
        {"scidac vectors", write_vectors, read_pairs, true, 0},
        {"fnal", write_fnal, read_pairs, true, FNAL_HEADER},
        {"fnal, big-endian", write_fnal_big, read_pairs, true, FNAL_HEADER}};
    for (size_t i = 0; i < sizeof victims / sizeof *victims; i++) {
        harm(t, &victims[i]);
    }
}

static void damaged_modes_never_pass(check *t)
{
    static const victim modes = {"low modes", damaged_write_modes, damaged_read_modes, false, 0};
    static const victim info = {"naik info of low modes", damaged_write_modes, read_report, false,
                                0};
    static const victim search = {"a search for low modes in mid cycle", damaged_write_search,
                                  damaged_read_search, false, 0};
    harm(t, &modes);
    harm(t, &info);
    harm(t, &search);
}

static void modes_that_are_no_numbers_are_not_written(check *t)
{
    static const double number[3] = {1e30, NAN, INFINITY};
    const char *const path = "modes.of.numbers.h5";
    naik_lattice *lat = NULL;
    CHECK_OK(t, naik_lattice_create(t->comm, (const int[4]){4, 4, 4, 4}, NULL, &lat));
    for (int i = 0; i < 24; i++) { /* in each of 8 ways */
        CHECK_STATUS(t, damaged_write_modes_with(lat, path, number[i / 8], i % 8),
                     i < 8 ? NAIK_OK : NAIK_ERR_INPUT);
        CHECK_INT(t, remove(path) == 0, i < 8);
    }
    naik_lattice_destroy(&lat);
}

/* The exit status of a process that gets a signal within the guard or behind it, and what it says. */
static int guarded(int number, bool behind, char said[256])
{
    int pipe_ends[2], status = 0;
    if (pipe(pipe_ends) != 0) {
        return -1;
    }
    const pid_t child = fork();
    if (child == 0) {
        naik_h5_guard guard;
        dup2(pipe_ends[1], STDERR_FILENO);
        (void)signal(number, SIG_IGN);
        naik_h5_guard_begin(&guard);
        if (behind) {
            naik_h5_guard_end(&guard);
        }
        (void)raise(number);
        _exit(0);
    }
    close(pipe_ends[1]);
    const ssize_t length = read(pipe_ends[0], said, 255);
    said[length > 0 ? length : 0] = '\0';
    close(pipe_ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A crash in a library may be a damaged file; memory that is not there is the machine's. */
static void crashes_in_libraries_end_in_a_sentence(check *t)
{
    static const struct {
        int number, status;
        const char *says;
    } rows[] = {{SIGSEGV, 4, "the program crashed"},
                {SIGFPE, 4, "the program crashed"},
                {SIGABRT, 4, "the program crashed"},
                {SIGBUS, 2, "mapped memory"},
                {SIGUSR2, 0, ""}};
    char said[256];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK_INT(t, guarded(rows[i].number, false, said), rows[i].status);
        CHECK_TRUE(t, strstr(said, rows[i].says) != NULL);
        CHECK_INT(t, guarded(rows[i].number, true, said), 0);
        CHECK_TEXT(t, said, "");
    }
}

CHECK_MAIN(CHECK(crashes_in_libraries_end_in_a_sentence),
           CHECK(modes_that_are_no_numbers_are_not_written),
           CHECK(damaged_configurations_never_pass), CHECK(damaged_link_files_never_pass),
           CHECK(damaged_propagators_never_pass), CHECK(damaged_vectors_never_pass),
           CHECK(damaged_modes_never_pass))

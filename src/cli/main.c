/* main.c - starts, finds the command, ends with the documented exit status
 *
 * Help, version and a mistyped command are answered before MPI starts: they must work on a login
 * node where MPI does not.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/watchdog.h"
#include "bench/bench.h"
#include "cli/commands.h"
#include "comm/collective.h"
#include "comm/interrupt.h"
#include "comm/threads.h"
#include "input/input.h"
#include "io/checksum.h"
#include "naik/version.h"

typedef struct row {
    const char *name;
    naik_command run;
    bool stops_in_order;                 /* on a signal: it leaves everything resumable */
    naik_status (*print)(naik_log *log); /* what it prints without ranks, in place of run */
} row;

static const row rows[] = {
    {"solve", naik_command_solve, true, NULL},              /* cli/solve_cmd.c */
    {"gauge", naik_command_gauge, false, NULL},             /* gauge_cmd.c */
    {"links", naik_command_links, false, NULL},             /* links_cmd.c */
    {"modes", naik_command_modes, true, NULL},              /* modes_cmd.c */
    {"info", naik_command_info, false, NULL},               /* cli/info_cmd.c */
    {"bench", naik_command_bench, false, NULL},             /* bench.c */
    {"export", naik_command_export, false, NULL},           /* export_cmd.c */
    {"report", naik_command_report, false, NULL},           /* report_cmd.c */
    {"import-milc", naik_command_import_milc, false, NULL}, /* import_milc_cmd.c */
    {"schema", NULL, false, naik_input_print_schema},       /* keys/params_schema.c */
    {NULL, NULL, false, NULL}                               /* last */
};

/* Whether this process is the one to speak before MPI can say so: the launchers' own numbering. */
static bool speaks_first(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL) {
            return atoi(value) == 0;
        }
    }
    return true;
}

static bool asks_for_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            return true;
        }
    }
    return false;
}

static const row *find_row(const char *name)
{
    for (const row *r = rows; r->name != NULL; r++) {
        if (strcmp(r->name, name) == 0) {
            return r;
        }
    }
    return NULL;
}

static naik_status unknown_command(naik_log *log, const char *typed)
{
    static const char *const options[] = {"--help", "--version", NULL};
    const char *names[sizeof rows / sizeof *rows] = {NULL};
    for (int i = 0; rows[i].name != NULL; i++) {
        names[i] = rows[i].name;
    }
    const char *kind = typed[0] == '-' ? "option" : "command";
    const char *nearest = naik_text_nearest(typed, typed[0] == '-' ? options : names);
    if (nearest != NULL) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "unknown %s '%s'; did you mean 'naik %s'?", kind,
                         typed, nearest);
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT, "unknown %s '%s'; 'naik --help' lists the commands", kind,
                     typed);
}

/* Answers what needs no ranks; *row is NULL where that was all. */
static naik_status answer(naik_log *log, int argc, char **argv, const row **command)
{
    *command = NULL;
    if (argc < 2) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT, "no command given; 'naik --help' lists them");
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        naik_log_line(log, "naik %s (%s)", naik_version(), naik_version_git());
        return NAIK_OK;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0) {
        return naik_help(log, argc > 2 ? argv[2] : NULL);
    }
    const row *found = find_row(word);
    if (found == NULL) {
        return unknown_command(log, word);
    }
    if (asks_for_help(argc - 1, argv + 1)) {
        return naik_help(log, word);
    }
    if (found->print != NULL) {
        if (argc > 2) {
            return NAIK_FAIL(log, NAIK_ERR_INPUT, "naik %s takes no operand: '%s'", word, argv[2]);
        }
        return found->print(log);
    }
    *command = found;
    return NAIK_OK;
}

/* What the user brought about needs no place in the source; everything else does. */
static void print_failure(const naik_log *log, naik_status status)
{
    if (status == NAIK_ERR_INPUT || status == NAIK_ERR_INTERRUPTED ||
        status == NAIK_ERR_NOT_CONVERGED) {
        fprintf(stderr, "naik: error: %s\n", naik_log_message(log));
    } else {
        naik_log_print_failure(log);
    }
}

/* One for every command, `name`: those with an input set its limit, for the others the environment
 * does. A rank that is alone waits for nobody. */
static naik_status start_watchdog(naik_comm *comm, const char *name, naik_watchdog **out)
{
    const char *told = getenv("NAIK_WATCHDOG");
    double limit_s = 0;
    naik_status status = NAIK_OK;
    if (!naik_text_time(told != NULL ? told : NAIK_WATCHDOG_LIMIT_S, &limit_s)) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "NAIK_WATCHDOG is '%s', no time in seconds or as HH:MM:SS", told);
    }
    NAIK_PASS(naik_comm_agree(comm, status));
    status =
        naik_watchdog_create(comm->log, comm->rank, comm->host, comm->size > 1 ? limit_s : 0, out);
    comm->watchdog = *out;
    NAIK_PASS(naik_comm_agree(comm, status));
    naik_watchdog_phase(*out, name);
    return NAIK_OK;
}

/* Ranks of different commands would wait for each other for ever. */
static naik_status compare_arguments(naik_comm *comm, int argc, char **argv)
{
    naik_status status = NAIK_OK;
    char words[160] = "";
    uint32_t mine = 0;
    for (int i = 1; i < argc; i++) {
        const uint32_t link[2] = {mine, naik_crc32(argv[i], strlen(argv[i]))};
        mine = naik_crc32(link, sizeof link);
        naik_text_append(words, sizeof words, " %s", argv[i]);
    }
    uint32_t first = mine;
    NAIK_TRY(naik_comm_broadcast(comm, &first, sizeof first, 0));
    if (mine != first) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_INPUT,
                           "the ranks were started with different arguments: rank %d has 'naik%s'",
                           comm->rank, words);
    }
done:
    return naik_comm_agree(comm, status);
}

/* first: this process is the one to speak where there is no communicator yet */
static naik_status run(naik_log *log, const row *command, bool first, int argc, char **argv)
{
    naik_comm *comm = NULL;
    if (command->stops_in_order) {
        naik_interrupt_block();
    }
    naik_status status = naik_comm_create(&argc, &argv, log, &comm);
    if (status != NAIK_OK) {
        if (first) {
            print_failure(log, status);
        }
        return status;
    }
    naik_watchdog *watchdog = NULL;
    status = compare_arguments(comm, argc, argv);
    status = status != NAIK_OK ? status : naik_comm_agree(comm, naik_threads_guard(comm));
    status = status != NAIK_OK ? status : start_watchdog(comm, command->name, &watchdog);
    status = status != NAIK_OK ? status : command->run(comm, argc - 1, argv + 1);
    status = status != NAIK_OK ? status : naik_log_check_output(log); /* the work itself is done */
    if (status == NAIK_ERR_MPI || !naik_comm_meet(comm, status)) {
        /* The others may wait for this rank for ever. */
        print_failure(log, status);
        naik_comm_abort(comm, naik_status_exit(status));
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK && comm->rank == 0 && naik_log_message(log)[0] != '\0') {
        print_failure(log, status);
    }
    if (comm->unfinalisable) {
        fflush(NULL);
        naik_comm_barrier(comm); /* everybody has spoken: launchers end the job at the first exit */
        _exit(naik_status_exit(status));
    }
    comm->watchdog = NULL;
    naik_watchdog_destroy(&watchdog);
    naik_comm_destroy(&comm);
    return status;
}

/* A descriptor 0 to 2 that was closed would be given to the next file that is opened, and receive
 * what is printed: these refuse it. */
static void occupy_standard_descriptors(void)
{
    for (int fd = 0; fd < 3; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0) {
            return;
        }
    }
}

/* A pipe that nobody reads any more and a limit on the size of files are failures of a write, which
 * has its sentence; as signals they would end the process without a word. */
static void take_failures_of_writes(void)
{
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN);
}

int main(int argc, char **argv)
{
    naik_memory_keep();
    occupy_standard_descriptors();
    take_failures_of_writes();
    naik_log *log = naik_log_create();
    if (log == NULL) {
        fprintf(stderr, "naik: error: no memory\n");
        naik_comm_refuse(naik_status_exit(NAIK_ERR_MEMORY));
        return naik_status_exit(NAIK_ERR_MEMORY);
    }
    bool first = speaks_first();
    naik_log_set_rank(log, first ? 0 : 1, 1);
    const row *command = NULL;
    naik_status status = answer(log, argc, argv, &command);
    status = status != NAIK_OK ? status : naik_log_check_output(log);
    if (status != NAIK_OK && first) {
        print_failure(log, status);
    }
    if (command != NULL) {
        status = run(log, command, first, argc, argv);
    }
    naik_log_destroy(&log);
    return naik_status_exit(status);
}

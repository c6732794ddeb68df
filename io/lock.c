/* lock.c - exclusive creation, signs of life, takeover of the dead
 *
 * Taking over renames the stale file first: of several jobs that find it stale one gets it, and
 * each looks again at what it renamed before it believes that it was the stale one.
 */
#include "io/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "comm/paths.h"
#include "io/files.h"

enum { BEAT_S = 60, EMPTY_STALE_S = 60, WORD = 80, CONTENT = 512 };

struct naik_lock { /* path and content on rank 0 only */
    char path[NAIK_PATH_MAX];
    char content[CONTENT];
    pthread_t beat;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool beating, stop;
};

typedef struct owner {
    char host[WORD], boot[WORD], space[WORD], job[WORD], restart[WORD];
    long pid;
    unsigned long long start; /* of the process, in ticks since boot */
} owner;

static void read_word(const char *path, char word[WORD])
{
    word[0] = '\0';
    FILE *stream = fopen(path, "r");
    if (stream != NULL) {
        if (fscanf(stream, "%79s", word) != 1) {
            word[0] = '\0';
        }
        fclose(stream);
    }
}

/* Start time of a process, 0 if there is no such process. Field 22 behind the last ')'. */
static unsigned long long start_of(long pid)
{
    char path[64], text[1024] = "";
    unsigned long long start = 0;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    FILE *stream = fopen(path, "r");
    if (stream == NULL) {
        return 0;
    }
    size_t length = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    text[length] = '\0';
    char *field = strrchr(text, ')');
    char state = 0;
    if (field == NULL ||
        sscanf(field + 1,
               " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &state, &start) != 2) {
        return 0;
    }
    return state == 'Z' || state == 'X' ? 0 : start;
}

static void environment_word(const char *name, char word[WORD])
{
    const char *value = getenv(name);
    snprintf(word, WORD, "%.79s", value != NULL && value[0] != '\0' ? value : "-");
    word[strcspn(word, " \n")] = '\0';
}

static owner describe_self(const naik_comm *comm)
{
    owner self = {.pid = (long)getpid()};
    snprintf(self.host, WORD, "%s", comm->host);
    read_word("/proc/sys/kernel/random/boot_id", self.boot);
    if (self.boot[0] == '\0') {
        strcpy(self.boot, "-");
    }
    ssize_t length = readlink("/proc/self/ns/pid", self.space, WORD - 1);
    self.space[length > 0 ? length : 0] = '\0';
    if (length <= 0) {
        strcpy(self.space, "-");
    }
    environment_word("SLURM_JOB_ID", self.job);
    environment_word("SLURM_RESTART_COUNT", self.restart);
    self.start = start_of(self.pid);
    return self;
}

static void write_owner(const owner *o, char content[CONTENT])
{
    snprintf(content, CONTENT,
             "host=%s\npid=%ld\nstart=%llu\nboot=%s\nspace=%s\nslurm_job=%s\nslurm_restart=%s\n"
             "time=%lld\n",
             o->host, o->pid, o->start, o->boot, o->space, o->job, o->restart,
             (long long)time(NULL));
}

static bool parse_owner(const char *content, owner *o)
{
    memset(o, 0, sizeof *o);
    return sscanf(content,
                  "host=%79s pid=%ld start=%llu boot=%79s space=%79s slurm_job=%79s "
                  "slurm_restart=%79s",
                  o->host, &o->pid, &o->start, o->boot, o->space, o->job, o->restart) == 7;
}

/* The clock of the file system that has the lock, whose times are compared with it: a file server's may differ from this
 * machine's. Where no file can be written, this machine's. */
static time_t time_there(const naik_lock *lock, const owner *self)
{
    char path[NAIK_PATH_MAX + 2 * WORD];
    struct stat info;
    time_t now = time(NULL);
    snprintf(path, sizeof path, "%s.now.%s.%ld", lock->path, self->host, self->pid);
    bool unnamed;
    const int fd = naik_file_open_unnamed(path, &unnamed);
    if (fd >= 0) {
        if (!unnamed) {
            unlink(path); /* before anything that takes time */
        }
        if (write(fd, "", 1) == 1 && fsync(fd) == 0 && fstat(fd, &info) == 0) {
            now = info.st_mtime;
        }
        close(fd);
    }
    return now;
}

/* The file's bytes as text; false if there is none. *touched: when it was, last. */
static bool read_lock(const char *path, char content[CONTENT], time_t *touched)
{
    struct stat info;
    memset(content, 0, CONTENT);
    FILE *stream = naik_path_open(path, &info);
    if (stream == NULL) {
        return false;
    }
    size_t length = fread(content, 1, CONTENT - 1, stream);
    content[length] = '\0';
    const bool known = fstat(fileno(stream), &info) == 0;
    *touched = known ? info.st_mtime : 0;
    fclose(stream);
    return known;
}

/* jobscripts/chain.sh names the jobs that were over before this one could begin: "17,18". */
static bool is_over(const char *job)
{
    const char *list = getenv("NAIK_ENDED_JOBS");
    const size_t length = strlen(job);
    while (list != NULL && *list != '\0') {
        const size_t word = strcspn(list, ",");
        if (word == length && strncmp(list, job, length) == 0) {
            return true;
        }
        list += word + (list[word] == ',');
    }
    return false;
}

typedef enum fate { ALIVE, GONE, HIDDEN } fate;

/* Of a process on this machine. HIDDEN: it is not in /proc, which may be mounted so that others see
 * only their own processes (hidepid) or not at all, but its number is in use. */
static fate fate_of(const owner *o)
{
    const unsigned long long start = start_of(o->pid);
    if (start != 0) {
        return start == o->start ? ALIVE : GONE;
    }
    const bool in_use = kill((pid_t)o->pid, 0) == 0 ? o->start == 0 : errno == EPERM;
    return in_use ? HIDDEN : GONE;
}

static bool is_stale(const owner *self, const char *content, double age_s, const char **reason)
{
    owner other;
    bool known = parse_owner(content, &other);
    bool same_host = known && strcmp(other.host, self->host) == 0;
    bool same_boot = known && strcmp(other.boot, self->boot) == 0;
    if (same_host && !same_boot && age_s > 2 * BEAT_S) { /* else another machine of that name? */
        *reason = "its machine was restarted";
        return true;
    }
    if (same_host && same_boot && strcmp(other.space, self->space) == 0) {
        const fate of = fate_of(&other);
        *reason = "its process is gone";
        if (of != HIDDEN) {
            return of == GONE;
        }
    }
    if (known && strcmp(self->job, "-") != 0 && strcmp(other.job, self->job) == 0 &&
        strcmp(other.restart, self->restart) != 0) {
        *reason = "it is this Slurm job before its requeue";
        return true;
    }
    if (known && strcmp(self->job, "-") != 0 && is_over(other.job)) {
        *reason = "its Slurm job is over, and this one waited for that";
        return true;
    }
    if (content[0] == '\0') {
        *reason = "its job died before it could say who it was";
        return age_s > EMPTY_STALE_S;
    }
    *reason = "it gave no sign of life for 15 minutes";
    return known && age_s > NAIK_LOCK_STALE_S;
}

static naik_status refuse(naik_log *log, const char *path, const char *content, double age_s)
{
    owner other;
    if (!parse_owner(content, &other)) {
        return NAIK_FAIL(log, NAIK_ERR_INPUT,
                         "%s is held by another job: wait for it, or remove that file if no job "
                         "uses it",
                         path);
    }
    char life[96];
    if (age_s >= 0) {
        snprintf(life, sizeof life, "last sign of life %.0f s ago", age_s);
    } else {
        snprintf(life, sizeof life, "its last sign of life is %.0f s ahead of the clock here",
                 -age_s);
    }
    return NAIK_FAIL(log, NAIK_ERR_INPUT,
                     "another job writes this output: process %ld on %s, Slurm job %s, %s; wait "
                     "for it, or remove %s if it is dead",
                     other.pid, other.host, other.job, life, path);
}

/* Creates the lock with its content, which comes before its name, or a moment later where the file system has no
 * unnamed files; false with errno where that fails. */
static bool create_lock(const naik_lock *lock)
{
    bool unnamed;
    int fd = naik_file_open_unnamed(lock->path, &unnamed);
    if (fd < 0) {
        return false;
    }
    size_t length = strlen(lock->content);
    bool ok = write(fd, lock->content, length) == (ssize_t)length && fsync(fd) == 0;
    ok = ok && (!unnamed || naik_file_give_name(fd, lock->path));
    int failed = errno;
    close(fd);
    if (!ok && !unnamed) {
        unlink(lock->path);
    }
    errno = failed;
    return ok;
}

/* Renames the stale lock away; false if what was renamed is not it, which is then put back. */
static bool remove_stale(const naik_lock *lock, const owner *self, const char *content)
{
    char aside[NAIK_PATH_MAX + 2 * WORD], seen[CONTENT];
    time_t touched;
    snprintf(aside, sizeof aside, "%s.stale.%s.%ld", lock->path, self->host, self->pid);
    if (rename(lock->path, aside) != 0) {
        return errno == ENOENT;
    }
    bool same = read_lock(aside, seen, &touched) && strcmp(seen, content) == 0;
    if (!same && link(aside, lock->path) != 0) {
        same = false;
    }
    unlink(aside);
    return same;
}

/* *held: another job has it, of which the sentence tells. */
static naik_status acquire(naik_log *log, const naik_lock *lock, const owner *self, bool *held)
{
    char content[CONTENT];
    const char *reason = "";
    double age_s = 0;
    time_t touched;
    for (int attempt = 0; attempt < 3; attempt++) {
        if (create_lock(lock)) {
            return NAIK_OK;
        }
        if (errno != EEXIST) {
            return NAIK_FAIL(log, naik_text_refused(errno), "the lock %s cannot be created: %s",
                             lock->path, strerror(errno));
        }
        if (!read_lock(lock->path, content, &touched)) {
            continue; /* released in between */
        }
        age_s = difftime(time_there(lock, self), touched);
        if (!is_stale(self, content, age_s, &reason)) {
            *held = true;
            return refuse(log, lock->path, content, age_s);
        }
        if (remove_stale(lock, self, content)) {
            naik_log_warn(log, "took over the lock %s: %s", lock->path, reason);
        }
    }
    *held = true;
    return refuse(log, lock->path, content, age_s);
}

/* Where it is not, errno says why that cannot be known, or is 0. */
static bool still_ours(const naik_lock *lock)
{
    char content[CONTENT];
    time_t touched;
    const bool there = read_lock(lock->path, content, &touched);
    errno = there || errno == ENOENT ? 0 : errno;
    return there && strcmp(content, lock->content) == 0;
}

static void *beat(void *argument)
{
    naik_lock *lock = argument;
    pthread_mutex_lock(&lock->mutex);
    while (!lock->stop) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until); /* the time of day may be set back */
        until.tv_sec += BEAT_S;
        if (pthread_cond_timedwait(&lock->wake, &lock->mutex, &until) == ETIMEDOUT &&
            still_ours(lock)) {
            utimensat(AT_FDCWD, lock->path, NULL, 0);
        }
    }
    pthread_mutex_unlock(&lock->mutex);
    return NULL;
}

/* Signals belong to the main thread: the new one is born with all of them blocked. */
static void start_beating(naik_lock *lock)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    lock->beating = pthread_create(&lock->beat, NULL, beat, lock) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

naik_status naik_lock_try(naik_comm *comm, const char *path, naik_lock **out, bool *held)
{
    naik_status status = NAIK_OK;
    *held = false;
    naik_lock *lock = calloc(1, sizeof *lock);
    *out = NULL;
    if (lock == NULL) {
        status = NAIK_FAIL(comm->log, NAIK_ERR_MEMORY, "no memory for a lock");
    } else if (comm->rank == 0) {
        owner self = describe_self(comm);
        pthread_condattr_t clock;
        pthread_mutex_init(&lock->mutex, NULL);
        pthread_condattr_init(&clock);
        pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
        pthread_cond_init(&lock->wake, &clock);
        pthread_condattr_destroy(&clock);
        write_owner(&self, lock->content);
        status = naik_path_append(comm->log, path, ".lock", lock->path);
        status = status != NAIK_OK ? status : acquire(comm->log, lock, &self, held);
    }
    status = naik_comm_agree(comm, status);
    if (status != NAIK_OK) {
        free(lock);
        const naik_status told = naik_comm_broadcast(comm, held, sizeof *held, 0);
        return told == NAIK_OK ? status : told;
    }
    if (comm->rank == 0) {
        start_beating(lock);
    }
    *out = lock;
    return NAIK_OK;
}

naik_status naik_lock_acquire(naik_comm *comm, const char *path, naik_lock **out)
{
    bool held;
    return naik_lock_try(comm, path, out, &held);
}

naik_status naik_lock_sweep(naik_comm *comm, const char *path)
{
    char name[NAIK_PATH_MAX];
    int64_t left = -1, part = -1;
    naik_lock *lock = NULL;
    NAIK_PASS(naik_path_append(comm->log, path, ".lock", name));
    NAIK_PASS(naik_file_size(comm, name, &left));
    NAIK_PASS(naik_path_append(comm->log, path, ".part", name));
    NAIK_PASS(naik_file_size(comm, name, &part));
    if (left >= 0 && part < 0 && naik_lock_acquire(comm, path, &lock) != NAIK_OK) {
        naik_log_clear(comm->log); /* of a job that lives, or where only others write */
    }
    naik_lock_release(comm, &lock);
    return NAIK_OK;
}

naik_status naik_lock_confirm(naik_comm *comm, naik_lock *lock)
{
    naik_status status = NAIK_OK;
    if (comm->rank == 0) {
        if (still_ours(lock)) {
            utimensat(AT_FDCWD, lock->path, NULL, 0);
        } else if (errno != 0) {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO,
                               "the lock %s cannot be read, so this job stops writing: %s",
                               lock->path, strerror(errno));
        } else {
            status = NAIK_FAIL(comm->log, NAIK_ERR_IO,
                               "the lock %s is no longer this job's: another job took it over or "
                               "somebody removed it, so this one stops writing",
                               lock->path);
        }
    }
    return naik_comm_agree(comm, status);
}

void naik_lock_release(naik_comm *comm, naik_lock **lock)
{
    if (*lock == NULL) {
        return;
    }
    if (comm->rank == 0) {
        if ((*lock)->beating) {
            pthread_mutex_lock(&(*lock)->mutex);
            (*lock)->stop = true;
            pthread_cond_signal(&(*lock)->wake);
            pthread_mutex_unlock(&(*lock)->mutex);
            pthread_join((*lock)->beat, NULL);
        }
        if (still_ours(*lock)) {
            unlink((*lock)->path);
        }
    }
    free(*lock);
    *lock = NULL;
}

/* commands.h - the commands of the program
 *
 * main starts MPI and the log, answers --help and --version, and calls one of these with argv[0]
 * the command's own name and its arguments after it; options.h parses them. A command prints its
 * result through the log and leaves the sentence of a failure there; main prints that sentence
 * once and turns the status into the exit status. The ranks must leave with the same status, or
 * all before the next communication: main agrees on it once more.
 *
 * A new command is a row of the table in src/cli/main.c and a text in src/cli/help.c.
 */
#ifndef NAIK_CLI_COMMANDS_H
#define NAIK_CLI_COMMANDS_H

#include "naik/comm.h"

typedef naik_status (*naik_command)(naik_comm *comm, int argc, char **argv);

naik_status naik_command_solve(naik_comm *comm, int argc, char **argv);
naik_status naik_command_gauge(naik_comm *comm, int argc, char **argv);
naik_status naik_command_links(naik_comm *comm, int argc, char **argv);
naik_status naik_command_modes(naik_comm *comm, int argc, char **argv);
naik_status naik_command_info(naik_comm *comm, int argc, char **argv);
naik_status naik_command_export(naik_comm *comm, int argc, char **argv);
naik_status naik_command_report(naik_comm *comm, int argc, char **argv);
naik_status naik_command_import_milc(naik_comm *comm, int argc, char **argv);

/* Prints the help of a command ("solve"), or of the program (NULL), on the log. NAIK_ERR_INPUT
 * with the nearest name where there is no such command. */
naik_status naik_help(naik_log *log, const char *command);
/* Prints the folder below which a reader finds doc/ and inputs/: that of `make install` beside the
 * program, or the sources in which the program was built. */
void naik_pages_print_folder(naik_log *log);

#endif

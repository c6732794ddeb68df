/* input_table.h - the keys of the input file, for input.c and its neighbours only */
#ifndef NAIK_INPUT_INPUT_TABLE_H
#define NAIK_INPUT_INPUT_TABLE_H

#include "input/input.h"

extern const naik_param_table naik_input_table;

/* Cross checks between keys, then what depends on several of them: tolerances and epsilons not
 * given, origins of walls, the lists of sources and tasks, the canonical texts.
 * NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_input_check(naik_log *log, naik_input *input);
/* Masses twice, keys that would do nothing beside the others, and what is too much. Not for the inputs that files carry: earlier
 * versions took them. NAIK_ERR_INPUT */
naik_status naik_input_check_idle(naik_log *log, const naik_input *input);
/* input_idle.c: the keys of its table, refused or with a warning. NAIK_ERR_INPUT */
naik_status naik_input_check_keys(naik_log *log, const naik_input *input);
/* Whether anything is made of the solutions. */
bool naik_input_contracts(const naik_input *input);
/* That what `path` wants with `word`, made with links, can be: NAIK_ERR_INPUT where there are none. */
naik_status naik_input_check_smearing(naik_log *log, const naik_input *input, const char *path,
                                      const char *word);
/* The operator of spin and taste on the source of an entry. NAIK_ERR_INPUT */
naik_status naik_input_check_operator(naik_log *log, const naik_input *input, int index);
naik_status naik_input_expand(naik_log *log, naik_input *input);

/* All bytes of a text, up to one more than the limit of a YAML document, so that the parser can say
 * that it is too large. The caller frees *bytes. Local. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_input_read_file(naik_log *log, const char *path, char **bytes, int64_t *size);
/* Those bytes of rank 0, of which every rank knows the number, on every rank. Collective.
 * NAIK_ERR_MEMORY, NAIK_ERR_MPI */
naik_status naik_input_share_bytes(naik_comm *comm, const char *path, int64_t size, char **bytes);

/* input_paths.c. Expands *name, the file that `key` names, as a shell does, and adds the override that says so to
 * input->expanded. known NULL: names are as they are. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_input_expand_path(naik_log *log, naik_input *input, const naik_variables *known,
                                   const char *key, const char **name);

/* input_configs.c: expands the names of files, then puts gauge.config into them, the first of
 * gauge.configs where it is not given. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_input_name_files(naik_log *log, naik_input *input, const naik_variables *known);
/* input_files.c: no file is written that the input names for another use. NAIK_ERR_INPUT */
naik_status naik_input_check_files(naik_log *log, const naik_input *input);

/* input_contractions.c: the correlators that an entry asks for, as they were given: its own, or those of
 * output; none of single colours. Borrowed. */
const naik_ints *naik_input_asked_correlators(const naik_input *input,
                                              const naik_input_solve *solve);
/* What is contracted from several solves. Finds the entries that are named.
 * NAIK_ERR_INPUT */
naik_status naik_input_check_contractions(naik_log *log, naik_input *input);
/* That an entry gives what output.average asks for, and output.baryons; not for the inputs that files carry. NAIK_ERR_INPUT */
naik_status naik_input_check_asked_average(naik_log *log, const naik_input *input);
naik_status naik_input_check_asked_baryons(naik_log *log, const naik_input *input);
/* Parts of it: a name that no entry of solve, pairs, baryons, three_point or averages before entry `index` of `list` has; the
 * place in solve[] of the entry that `path` names; its sources; that two entries have correlators. NAIK_ERR_INPUT */
naik_status naik_input_check_name(naik_log *log, const naik_input *input, const char *list,
                                  int index, const char *name);
naik_status naik_input_find_entry(naik_log *log, const naik_input *input, const char *path,
                                  const char *name, int *found);
enum { NAIK_INPUT_SOURCES = 10000 };                             /* at most, of one file */
int naik_input_sources_of_origin(const naik_input_solve *solve); /* parts of noise fields; else 1 */
int naik_input_count_sources(const naik_input_solve *solve);
/* Source number k of an entry, as far as it is known before the lists are made. */
naik_source naik_input_source_number(const naik_input *input, const naik_input_solve *solve, int k);
/* Whether the three sources of a baryon are displaced in x, y and z, one each. */
bool naik_input_is_displaced(const naik_input *input, const naik_input_baryon *baryon);
/* input_loops.c: dilution of noise, of which it fills in the parts, and loops; part number k of them. NAIK_ERR_INPUT */
naik_status naik_input_check_loops(naik_log *log, naik_input *input);
void naik_input_dilute(const naik_input_solve *solve, int time_extent, int k, naik_source *source);
/* input_baryons.c: all that are asked for, before the other contractions. NAIK_ERR_INPUT */
naik_status naik_input_check_baryons(naik_log *log, naik_input *input);
naik_status naik_input_check_common(naik_log *log, const naik_input *input, const char *path,
                                    const naik_input_solve *a, const naik_input_solve *b);
/* That a list names no momentum twice. NAIK_ERR_INPUT */
naik_status naik_input_check_momenta(naik_log *log, const naik_input *input, const char *path,
                                     const naik_vectors *momenta);
/* That none of a list is more than half a turn a site; the same of output, entries and sources, which older files do not
 * keep. NAIK_ERR_INPUT */
naik_status naik_input_check_zone(naik_log *log, const naik_input *input, const char *path,
                                  const naik_vectors *momenta);
naik_status naik_input_check_zones(naik_log *log, const naik_input *input);
/* input_three_point.c. What depends on the quarks is filled in, then all is checked. NAIK_ERR_INPUT */
naik_status naik_input_check_three_points(naik_log *log, naik_input *input);
/* Entries of the daughters, behind the others of solve[], whose origins are known; then, once there are sources, what
 * each source of a daughter is made of. NAIK_ERR_MEMORY */
naik_status naik_input_add_three_points(naik_log *log, naik_input *input);
void naik_input_place_three_points(naik_input *input);
/* input_averages.c. What is not given is filled in, then all is checked. NAIK_ERR_INPUT */
naik_status naik_input_check_averages(naik_log *log, naik_input *input);
/* Draws their exact sources and adds the solves of these behind the others of solve[], whose origins and tolerances are
 * known. NAIK_ERR_INPUT, NAIK_ERR_MEMORY */
naik_status naik_input_add_averages(naik_log *log, naik_input *input);
/* input_count.c: what correlators are counted from, and the weight of a momentum. */
/* The mass of a kappa. */
double naik_input_mass_of(double kappa);
/* As an input means it that is of a file with that identity, unless it says itself; NULL: as now. */
void naik_input_count_as(naik_input *input, const char *identity);
/* The lines of the identity for what is not as in files that have none of them. NAIK_ERR_MEMORY */
naik_status naik_input_count_identity(naik_log *log, naik_input *input);
/* NAIK_ERR_INPUT */
naik_status naik_input_check_count(naik_log *log, const naik_input *input);
/* Whether mesons with momenta are asked for: of entry number `entry` of solve[], after the last one of the output. */
bool naik_input_asks_moving(const naik_input *input, int entry);
/* input_means.c. Of an expanded input: refuses means over sources whose correlators differ from place to place. NAIK_ERR_INPUT */
naik_status naik_input_check_turns(naik_log *log, const naik_input *input);
/* input_groups.c: run.groups beside what is asked for, which is expanded. NAIK_ERR_INPUT */
naik_status naik_input_check_groups(naik_log *log, const naik_input *input);
/* Words of action.type that name quarks with spin: "wilson, clover and twisted_mass". */
enum { NAIK_INPUT_SPIN_WORDS = 96 };
const char *naik_input_spin_words(char words[NAIK_INPUT_SPIN_WORDS]);
/* input_wilson.c: masses or kappas of these keys, one of them. NAIK_ERR_INPUT */
naik_status naik_input_check_masses(naik_log *log, const naik_input *input, const char *masses,
                                    const char *kappas, const naik_reals *given, int kappa_count);
/* input_wilson.c: what some kinds of quarks have and others do not. NAIK_ERR_INPUT */
naik_status naik_input_check_quarks(naik_log *log, const naik_input *input);
/* A name that becomes part of a path in the output. NAIK_ERR_INPUT */
naik_status naik_input_check_letters(naik_log *log, const naik_input *input, const char *path,
                                     const char *name);
/* The word at `path` as the user wrote it, a meson's name or its label; of a list, word number `index`. Where the
 * input has none, the name of the correlator `number`. Borrowed. */
const char *naik_input_written(const naik_input *input, const char *path, int index, int number);
/* A sentence at the place of `path`, or of the nearest section around it that was given. Always
 * NAIK_ERR_INPUT. */
naik_status naik_input_refuse(naik_log *log, const naik_input *input, const char *path,
                              const char *format, ...) NAIK_PRINTF(4, 5);

#endif

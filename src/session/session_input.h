/* session_input.h - what is asked of a session, as an input of `naik solve` */
#ifndef NAIK_SESSION_SESSION_INPUT_H
#define NAIK_SESSION_SESSION_INPUT_H

#include "input/input.h"

/* What all inputs of a session have in common. */
typedef struct session_texts {
    const char *keys;   /* sections lattice, gauge, action, solver, deflation, multigrid, run */
    const char *file;   /* gauge.file, or what stands for it; NULL: not set */
    int size[NAIK_DIM]; /* lattice.size; zeros: not set */
} session_texts;

/* The input whose only entry of solve: is `entry`, a mapping in YAML's flow style without its source; or of
 * the quark of mass 1 where it is NULL. source: the same of solve[].source, NULL: a point. The texts must be
 * the same on every rank. Collective. As naik_input_load, whose sentences name the keys. */
naik_status session_input_make(naik_comm *comm, const session_texts *texts, const char *entry,
                               const char *source, naik_input **out);

/* Why a key of `naik solve`, such as run.wall_limit or solve, does nothing in a session; NULL where it
 * does something. Local. */
const char *session_has_no_use(const char *key);
/* The keys as the two functions below take them. NAIK_ERR_INPUT, NAIK_ERR_MEMORY. Collective. */
naik_status session_parse_keys(naik_comm *comm, const char *keys, naik_yaml **tree);
/* A copy of a configuration's name, with gauge.config of the keys in place of {config}; free it.
 * NAIK_ERR_MEMORY. Collective. */
naik_status session_name_configuration(naik_comm *comm, const naik_yaml_node *keys,
                                       const char *name, char **out);
/* Refuses keys that do nothing in a session; also a configuration and extents that the keys name as well:
 * nobody knows which the caller meant. NAIK_ERR_INPUT. Once for each session. Collective. */
naik_status session_check_keys(naik_comm *comm, const naik_yaml_node *keys,
                               const session_texts *texts);

/* Ranks that ask for different things would wait for each other: NAIK_ERR_INPUT on all of them where `mine`
 * is not the same on every rank. what: what "every rank must give the same" in the sentence. Collective. */
naik_status session_compare(naik_comm *comm, uint32_t mine, const char *what);

/* The same for a question after a correlator, of which each rank would otherwise give the part of its own
 * question. own: there is no antiquark. Collective. */
naik_status session_compare_meson(naik_comm *comm, const char *meson, const naik_frame *frame,
                                  bool own);

#endif

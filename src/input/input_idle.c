/* input_idle.c - keys that do nothing beside the others, a row each */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "input/input_table.h"

enum { PATH_SIZE = 160 };

/* Mesons of pairs and of entries of solve. */
static bool has_two_point(const naik_input *input)
{
    bool any = input->pair_count > 0;
    for (int i = 0; i < input->solve_count; i++) {
        any = any || naik_input_asked_correlators(input, &input->solve[i])->count > 0;
    }
    return any;
}

/* What is counted from a place. */
static bool has_mesons(const naik_input *input)
{
    return has_two_point(input) || input->baryon_count > 0 || input->three_point_count > 0 ||
           input->output.baryons.count > 0;
}

bool naik_input_contracts(const naik_input *input)
{
    return has_mesons(input) || input->output.loops.count > 0 || input->output.condensate;
}

static bool contracts_nothing(const naik_input *input, int entry)
{
    (void)entry;
    return !naik_input_contracts(input);
}

/* Baryons are at rest, and three-point functions have momenta of their own. */
static bool has_no_momenta(const naik_input *input, int entry)
{
    (void)entry;
    return !has_two_point(input) && input->output.loops.count == 0;
}

static bool has_no_momenta_of_entry(const naik_input *input, int entry)
{
    return naik_input_asked_correlators(input, &input->solve[entry])->count == 0 &&
           input->output.loops.count == 0;
}

static bool is_at_rest(const naik_input *input, int entry)
{
    bool moving = naik_input_any_moving(&input->output.momenta) && !has_no_momenta(input, entry);
    for (int i = 0; i < input->solve_count; i++) {
        moving = moving || (naik_input_any_moving(&input->solve[i].momenta) &&
                            !has_no_momenta_of_entry(input, i));
    }
    for (int i = 0; i < input->three_point_count; i++) {
        moving = moving || naik_input_any_moving(&input->three_points[i].momenta) ||
                 naik_input_any_moving(&input->three_points[i].sink_momenta);
    }
    return !moving;
}

static bool has_no_place(const naik_input *input, int entry)
{
    return !has_mesons(input) || (input->kind->spin > 1 && is_at_rest(input, entry));
}

static bool reads_no_configuration(const naik_input *input, int entry)
{
    (void)entry;
    return input->kind->links == NAIK_QUARK_STORED;
}

static bool has_no_name(const naik_input *input, int entry)
{
    (void)entry;
    return !input->gauge.config_used;
}

static bool checks_once(const naik_input *input, int entry)
{
    (void)entry;
    return !input->solver.double_check;
}

static bool stores_nothing(const naik_input *input, int entry)
{
    (void)entry;
    return !input->output.propagators;
}

static bool is_all_double(const naik_input *input, int entry)
{
    (void)entry;
    return input->solver.inner_precision == NAIK_INPUT_DOUBLE;
}

static bool shares_nothing(const naik_input *input, int entry)
{
    (void)entry;
    return !naik_quark_shifts(input->kind);
}

static bool has_single_masses(const naik_input *input, int entry)
{
    bool several = false;
    (void)entry;
    for (int i = 0; i < input->solve_count; i++) {
        several = several || input->solve[i].masses.count > 1;
    }
    for (int i = 0; i < input->three_point_count; i++) {
        several = several || input->three_points[i].masses.count > 1;
    }
    return naik_quark_shifts(input->kind) && input->solver.multishift == NAIK_INPUT_ON && !several;
}

static bool shows_no_progress(const naik_input *input, int entry)
{
    (void)entry;
    return input->run.progress == NAIK_INPUT_PROGRESS_OFF;
}

/* modes: 0 beside other keys switches deflation off; without it they wait for something */
static bool has_no_modes(const naik_input *input, int entry)
{
    (void)entry;
    return input->deflation.modes == 0 &&
           naik_yaml_find(input->tree->root, "deflation.modes") == NULL;
}

static bool takes_others(const naik_input *input, int entry)
{
    (void)entry;
    return input->deflation.import != NULL;
}

/* Rows that hold say why. A key that ends with a point stands for all of its section. */
static const struct row {
    const char *key;
    bool refused; /* else naik warns: outputs exist that were begun with it */
    bool (*idle)(const naik_input *input, int entry);
    const char *why;
} rows[] = {
    {"gauge.on_mismatch", true, reads_no_configuration,
     "does not apply to action.type links, which reads no configuration"},
    {"gauge.config", true, has_no_name, "does nothing: the input names no file with {config}"},
    {"solver.double_check_every", true, checks_once, "applies to solver.verify double_check only"},
    {"solver.multishift", false, shares_nothing,
     "does nothing: quarks with spin share no Krylov space"},
    {"solver.multishift", false, has_single_masses,
     "does nothing: no entry of solve has several masses"},
    {"solver.link_numbers", false, is_all_double,
     "does nothing with solver.inner_precision double, which stores whole links"},
    {"output.precision", true, stores_nothing,
     "does not apply where output.propagators is false: correlators have 64 bits"},
    {"output.momenta", false, has_no_momenta,
     "does nothing: no correlators that take momenta are asked for"},
    {"output.momentum_weight", false, is_at_rest,
     "does nothing: no correlators with momenta are asked for"},
    {"output.origin", false, has_no_place,
     "does nothing: no correlators are asked for that are counted from a site"},
    {"output.print_correlators", false, contracts_nothing,
     "does nothing: no correlators are asked for"},
    {"solve[].momenta", false, has_no_momenta_of_entry,
     "does nothing: this entry has no correlators that take momenta"},
    {"run.progress_interval", false, shows_no_progress, "does nothing with run.progress off"},
    {"deflation.krylov", false, takes_others,
     "does nothing beside deflation.import: naik searches for no modes"},
    {"deflation.degree", false, takes_others,
     "does nothing beside deflation.import: naik searches for no modes"},
    {"deflation.interval", false, takes_others,
     "does nothing beside deflation.import: naik searches for no modes"},
    {"deflation.max_cycles", false, takes_others,
     "does nothing beside deflation.import: naik searches for no modes"},
    {"deflation.", true, has_no_modes, "does nothing without deflation.modes"},
    {"solve[].deflate", true, has_no_modes, "does nothing without deflation.modes"}};

static bool is_of(const char *row, const char *key)
{
    return row[strlen(row) - 1] == '.' ? naik_text_begins(key, row) : strcmp(key, row) == 0;
}

/* What the row says of its key, which a list has once for each entry. */
static naik_status check(naik_log *log, const naik_input *input, const char *key,
                         const struct row *row)
{
    static const char list[] = "solve[]";
    const bool listed = naik_text_begins(key, list);
    for (int entry = 0; entry < (listed ? input->solve_count : 1); entry++) {
        char path[PATH_SIZE];
        snprintf(path, sizeof path, "%s", key);
        if (listed) {
            snprintf(path, sizeof path, "solve.%d%s", entry, key + strlen(list));
        }
        if (naik_yaml_find(input->tree->root, path) == NULL || !row->idle(input, entry)) {
            continue;
        }
        if (row->refused) {
            return naik_input_refuse(log, input, path, "'%s' %s", path, row->why);
        }
        naik_log_warn(log, "'%s' %s", path, row->why);
    }
    return NAIK_OK;
}

naik_status naik_input_check_keys(naik_log *log, const naik_input *input)
{
    for (int i = 0; i < naik_input_table.count; i++) {
        const char *key = naik_input_table.params[i].key;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            if (is_of(rows[k].key, key)) {
                NAIK_PASS(check(log, input, key, &rows[k]));
            }
        }
    }
    return NAIK_OK;
}

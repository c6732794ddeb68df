/* form.c - singles on the even sites, or bricks: the one is a lattice of half the extent in x, the other of half of
 * each */
#include "io/modes/form.h"

#include "io/finite.h"
#include "modes/bricks.h"

naik_mode_form naik_mode_form_of(const naik_lattice *lattice, bool bricks)
{
    naik_mode_form form = {.lattice = lattice,
                           .array = *lattice,
                           .element_bytes = naik_mode_form_element_bytes(bricks),
                           .bricks = bricks};
    naik_lattice *array = &form.array;
    for (int mu = 0; mu < NAIK_DIM; mu++) {
        const int by = naik_mode_form_cut(bricks, mu);
        array->size[mu] /= by;
        array->local[mu] /= by;
        array->origin[mu] /= by;
        array->sites /= by;
        array->volume /= by;
    }
    return form;
}

hid_t naik_mode_form_type(bool bricks)
{
    const hsize_t dims[3] = {NAIK_BRICK_SITES, 3, 2};
    hid_t numbers, type;
    if (!bricks) {
        return naik_h5_tensor(32, 1);
    }
    numbers = H5Tarray_create2(H5T_STD_I16LE, 3, dims);
    type = H5Tcreate(H5T_COMPOUND, sizeof(naik_brick));
    if (H5Tinsert(type, "number", HOFFSET(naik_brick, number), numbers) < 0 ||
        H5Tinsert(type, "scale", HOFFSET(naik_brick, scale), H5T_IEEE_F32LE) < 0) {
        naik_h5_release(type);
        type = -1;
    }
    naik_h5_release(numbers);
    return type;
}

const void *naik_mode_form_pack(const naik_mode_form *form, const float *even, void *room)
{
    if (!form->bricks) {
        return even;
    }
    naik_bricks_make(form->lattice, even, room);
    return room;
}

bool naik_mode_form_is_finite(const naik_mode_form *form, const void *elements)
{
    return form->bricks ? naik_bricks_are_finite(elements, form->array.sites)
                        : naik_singles_are_finite(elements, naik_mode_form_bytes(form) / 4);
}

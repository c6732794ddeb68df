/* read_output.c PROP.h5 - reads a propagator and its pion from an output of `naik solve`, with HDF5 alone
 *
 *     h5pcc -std=c17 read_output.c -o read_output       # or h5cc
 *
 * PROP.h5 is the output of README's first run: staggered quarks, and an entry of solve named pt.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct complex_number {
    double r, i;
} complex_number;

/* All elements of a dataset, as `type`; HDF5 converts single precision to double. NULL where that fails.
 * `extent` has room for as many numbers as the dataset has dimensions. The caller frees what comes back. */
static void *read_dataset(hid_t file, const char *path, hid_t type, hsize_t *extent)
{
    const hid_t data = H5Dopen2(file, path, H5P_DEFAULT);
    const hid_t space = H5Dget_space(data);
    if (H5Sget_simple_extent_dims(space, extent, NULL) < 0) {
        return NULL;
    }
    void *out = malloc((size_t)H5Sget_simple_extent_npoints(space) * H5Tget_size(type));
    if (out && H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out) < 0) {
        free(out);
        out = NULL;
    }
    H5Sclose(space);
    H5Dclose(data);
    return out;
}

int main(int argc, char **argv)
{
    const hid_t file = H5Fopen(argc == 2 ? argv[1] : "", H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t complex_type = H5Tcreate(H5T_COMPOUND, sizeof(complex_number));
    H5Tinsert(complex_type, "r", HOFFSET(complex_number, r), H5T_NATIVE_DOUBLE);
    H5Tinsert(complex_type, "i", HOFFSET(complex_number, i), H5T_NATIVE_DOUBLE);
    const hid_t vector = H5Tarray_create2(complex_type, 1, (const hsize_t[]){3}); /* sink colours */
    hsize_t size[5]; /* source colour, t, z, y, x: the order of the numbers in g */
    hsize_t times;
    complex_number(*g)[3] = read_dataset(file, "/prop/s0000/m00", vector, size);
    double *pion = read_dataset(file, "/corr/pt/m00/pion5/p000", H5T_NATIVE_DOUBLE, &times);
    if (!g || !pion) {
        return 1; /* HDF5 has said why */
    }
    const hsize_t slice = size[2] * size[3] * size[4];
    for (hsize_t t = 0; t < times; t++) {
        double again = 0; /* the pion of a point source is |G|^2, summed over colours and sites */
        for (hsize_t colour = 0; colour < 3; colour++) {
            for (hsize_t site = 0; site < slice; site++) {
                const complex_number *v = g[(colour * size[1] + t) * slice + site];
                for (int c = 0; c < 3; c++) {
                    again += v[c].r * v[c].r + v[c].i * v[c].i;
                }
            }
        }
        printf("%d %.12e %.12e\n", (int)t, pion[t], again);
    }
    free(g);
    free(pion);
    return H5Fclose(file) < 0;
}

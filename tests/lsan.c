/* lsan.c - linked into the test programs of the sanitizer build only: leaks that are not naik's
 *
 * MPI libraries leak at exit, much of it from plug-ins that they unload before the report is made,
 * so that the leak sanitizer cannot name them. Plug-ins therefore stay loaded, and leaks are
 * forgiven by library. A library built without frame pointers is seen only by the slow unwinder. */

int dlclose(void *handle);
const char *__asan_default_options(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}

const char *__asan_default_options(void)
{
    return "fast_unwind_on_malloc=0";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

const char *__lsan_default_suppressions(void)
{
    return "leak:libmpi\n"
           "leak:libmpich\n"
           "leak:libopen-pal\n"
           "leak:libopen-rte\n"
           "leak:libpmix\n"
           "leak:mca_\n"
           "leak:libhwloc\n"
           "leak:hwloc_\n"
           "leak:libucs\n"
           "leak:libuct\n"
           "leak:libucp\n"
           "leak:libucm\n"
           "leak:libfabric\n"
           "leak:libevent\n"
           "leak:libnl-\n"
           "leak:libpciaccess\n"
           "leak:libibverbs\n"
           "leak:libze_\n"
           "leak:libgomp\n";
}

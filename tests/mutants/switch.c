/* switch.c - which switch is on, and a map of those that a process reaches
 *
 * NAIK_SLIP_ON has the number of the switch that is on. All processes of a test mark what they reach in
 * the file that NAIK_SLIP_SEEN names; without it they mark memory of their own.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* More than there are switches. */
static unsigned char own_map[1 << 18];
unsigned char *naik_slip_seen = own_map;
int naik_slip_on = 0;

__attribute__((constructor)) static void begin(void)
{
    const char *on = getenv("NAIK_SLIP_ON"), *seen = getenv("NAIK_SLIP_SEEN");
    naik_slip_on = on != NULL ? atoi(on) : 0;
    const int fd = seen != NULL ? open(seen, O_RDWR | O_CREAT, 0666) : -1;
    if (fd >= 0 && ftruncate(fd, sizeof own_map) == 0) {
        void *map = mmap(NULL, sizeof own_map, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (map != MAP_FAILED) {
            naik_slip_seen = map;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

/* Preloaded, it makes a fast disk as slow as a usual SSD: every sync takes 2 ms more. See docs/benchmarks.md.
 *
 *     cc -O2 -shared -fPIC -o slowsync.so slowsync.c; LD_PRELOAD=./slowsync.so <command>
 */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slowly(long call, int file) {
    int result = (int)syscall(call, file);
    if (result == 0) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return result;
}

int fsync(int file) { return slowly(SYS_fsync, file); }

int fdatasync(int file) { return slowly(SYS_fdatasync, file); }

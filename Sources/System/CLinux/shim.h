#ifndef LCFILE_CLINUX_H
#define LCFILE_CLINUX_H

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sandbox.h"

// glibc's headers declare Linux's own calls only with _GNU_SOURCE, and Swift's Glibc module is built without it.
// Constants are those of the kernel's <linux/fs.h>; the functions return 0 or -1 with errno.

/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST instead of overwriting.
static inline int clinux_rename_without_replacing(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
}

/// pipe2(2) with O_CLOEXEC: no program that is executed later inherits the two ends.
static inline int clinux_pipe(int ends[2]) {
    return (int)syscall(SYS_pipe2, ends, O_CLOEXEC);
}

// Declared by glibc only with _DEFAULT_SOURCE.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int first);

/// posix_spawn_file_actions_addclosefrom_np(3): the new process closes all descriptors from `first` on.
static inline int clinux_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// sync_file_range(2) with SYNC_FILE_RANGE_WRITE: starts writing a range to the disk and does not wait.
static inline int clinux_begin_writeback(int descriptor, long long offset, long long count) {
    return (int)syscall(SYS_sync_file_range, descriptor, offset, count, 2u);
}

/// fallocate(2) with FALLOC_FL_KEEP_SIZE and FALLOC_FL_PUNCH_HOLE: frees the blocks of a range, which then reads as
/// zeros.
static inline int clinux_make_hole(int descriptor, long long offset, long long count) {
    return (int)syscall(SYS_fallocate, descriptor, 3, offset, count);
}

// Declared by glibc only with _GNU_SOURCE, as is the struct for the result.
extern int dladdr(const void *address, void *result);

/// dladdr(3): returns the path of the library that has a function of this name; NULL if none has it.
/// The text stays valid as long as the library is loaded.
static inline const char *clinux_library_of(const char *function) {
    struct {
        const char *path;
        void *base;
        const char *name;
        void *address;
    } result = {0};
    void *address = dlsym(NULL, function);
    return address != NULL && dladdr(address, &result) != 0 ? result.path : NULL;
}

/// statfs(2): returns the magic number of the file system of a path (<linux/magic.h>); 0 if it cannot be read.
static inline long long clinux_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long long)status.f_type : 0;
}

/// adjtimex(2): returns 1 if a service corrects the clock, 0 if not, -1 if the kernel does not say.
static inline int clinux_clock_state(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    if (result < 0) return -1;
    return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}

#endif

#ifndef LCFILE_CLINUX_H
#define LCFILE_CLINUX_H

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox.h"

// glibc's headers declare Linux's own calls only with _GNU_SOURCE, and Swift's Glibc module is built without it.
// Constants are those of the kernel's <linux/fs.h>; the functions return 0 or -1 with errno.

/// renameat2(2) with RENAME_NOREPLACE: fails with EEXIST instead of overwriting.
static inline int clinux_rename_without_replacing(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1u);
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

#endif

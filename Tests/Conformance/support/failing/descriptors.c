/* The calls on open files. */
#define _GNU_SOURCE
#include "failing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRANSFER(kind, file, size, ...) \
    enum fate fate = decide_descriptor(kind, file); \
    if (fate == FAIL) return -1; \
    size = shortened(fate, size); \
    return syscall(__VA_ARGS__)

ssize_t read(int file, void *bytes, size_t size) { TRANSFER(READ, file, size, SYS_read, file, bytes, size); }
ssize_t write(int file, const void *bytes, size_t size) { TRANSFER(WRITE, file, size, SYS_write, file, bytes, size); }
ssize_t pread(int file, void *bytes, size_t size, off_t offset) {
    TRANSFER(READ, file, size, SYS_pread64, file, bytes, size, offset);
}
ssize_t pread64(int file, void *bytes, size_t size, off64_t offset) { return pread(file, bytes, size, offset); }
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    TRANSFER(WRITE, file, size, SYS_pwrite64, file, bytes, size, offset);
}
ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) { return pwrite(file, bytes, size, offset); }
ssize_t sendfile(int to, int from, off_t *offset, size_t size) {
    TRANSFER(SEND, from, size, SYS_sendfile, to, from, offset, size);
}
ssize_t sendfile64(int to, int from, off64_t *offset, size_t size) { return sendfile(to, from, offset, size); }
ssize_t copy_file_range(int from, off64_t *source, int to, off64_t *target, size_t size, unsigned flags) {
    TRANSFER(WRITE, to, size, SYS_copy_file_range, from, source, to, target, size, flags);
}

#define CALL(kind, file, ...) decide_descriptor(kind, file) == FAIL ? -1 : (int)syscall(__VA_ARGS__)

int fsync(int file) { return CALL(SYNC, file, SYS_fsync, file); }
int fdatasync(int file) { return CALL(SYNC, file, SYS_fdatasync, file); }
int ftruncate(int file, off_t size) { return CALL(TRUNCATE, file, SYS_ftruncate, file, size); }
int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }
int fallocate(int file, int mode, off_t offset, off_t size) {
    return CALL(ALLOCATE, file, SYS_fallocate, file, mode, offset, size);
}
int fallocate64(int file, int mode, off64_t offset, off64_t size) { return fallocate(file, mode, offset, size); }
int posix_fallocate(int file, off_t offset, off_t size) { return fallocate(file, 0, offset, size) == 0 ? 0 : errno; }
int posix_fallocate64(int file, off64_t offset, off64_t size) { return posix_fallocate(file, offset, size); }
int fstat(int file, struct stat *status) { return CALL(STATUS, file, SYS_fstat, file, status); }
int fstat64(int file, struct stat64 *status) { return fstat(file, (struct stat *)status); }
int futimens(int file, const struct timespec times[2]) { return CALL(TIMES, file, SYS_utimensat, file, NULL, times, 0); }

void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset) {
    if (!(flags & MAP_ANONYMOUS) && decide_descriptor(MAP, file) == FAIL) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, place, size, protection, flags, file, offset);
}
void *mmap64(void *place, size_t size, int protection, int flags, int file, off64_t offset) {
    return mmap(place, size, protection, flags, file, offset);
}

/* Linux closes the file whatever it answers. */
int close(int file) {
    enum fate fate = decide_descriptor(CLOSE, file);
    int error = errno;
    forget(file);
    int result = (int)syscall(SYS_close, file);
    if (fate != FAIL) return result;
    errno = error;
    return -1;
}

int dup(int file) { return copy_name(file, (int)syscall(SYS_dup, file)); }
int dup3(int file, int target, int flags) { return copy_name(file, (int)syscall(SYS_dup3, file, target, flags)); }

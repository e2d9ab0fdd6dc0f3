/* Fails the N-th system call that concerns some folders; loaded into the tested program with LD_PRELOAD.
 *
 * A test maps the file FAILING_CONTROL and sets there which call fails and how, while the program runs. Calls count if
 * their path, or the path of their descriptor, lies below one of the folders of FAILING_UNDER (absolute, separated by
 * colons). Calls outside of them, and all calls without FAILING_CONTROL, are what they are without this library.
 */
#ifndef FAILING_H
#define FAILING_H

#include <stdatomic.h>
#include <stddef.h>

/* The kinds of calls; failing.py has the same list in the same order. */
enum kind {
    OPEN, CREATE, READ, WRITE, SYNC, RENAME, LINK, UNLINK, MKDIR, TRUNCATE, ALLOCATE, CLOSE, LIST, SEND, STATUS, MAP, TIMES,
    KINDS
};

/* What a counted call does. */
enum fate { PASS, FAIL, SHORTEN };

#define NAME_SIZE 96
#define LOG_SIZE 8192
/* Instead of an error number: the call does half of its work. */
#define SHORT 0xffffu
/* Instead of an error number: the program is stopped before the call, until it gets SIGCONT. */
#define STOP 0xfffeu

/* The shared memory; failing.py knows the offsets. */
struct control {
    atomic_uint is_on;
    atomic_uint first, last; /* The numbers of the calls that fail, from 1. */
    atomic_uint error;
    atomic_uint kinds; /* A bit for each kind that counts. */
    atomic_uint count, failed;
    atomic_uint reserved;
    char end[32]; /* Only calls with files whose name ends so count. */
    char log[LOG_SIZE][NAME_SIZE]; /* What the calls were: kind and the end of the path. */
};

/* Counts a call and decides; sets errno when it is FAIL. */
enum fate decide(enum kind kind, const char *name);

/* The same for a path, and for a descriptor. */
enum fate decide_path(enum kind kind, const char *path);
enum fate decide_descriptor(enum kind kind, int descriptor);

/* Remembers, copies and forgets the paths of descriptors; they return the descriptor. */
int remember(int descriptor, const char *path);
int copy_name(int from, int to);
void forget(int descriptor);

/* Half of a length, at least 1; all of it if the call is not shortened. */
size_t shortened(enum fate fate, size_t length);

#endif

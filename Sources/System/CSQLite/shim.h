#ifndef LCFILE_CSQLITE_H
#define LCFILE_CSQLITE_H

#include <sqlite3.h>

// sqlite3_config() has a variable number of arguments, which Swift cannot pass.

// Sets how many bytes of a statement or of a savepoint SQLite keeps in memory, for the case that they are undone, before
// it creates a file for them: less than 128 KB. Only before the first connection of the process; else it returns
// SQLITE_MISUSE.
static inline int csqlite_keep_statement_journals(int bytes) {
    return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, bytes);
}

#endif

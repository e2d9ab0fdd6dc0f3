#ifndef LCFILE_CSQLITE_H
#define LCFILE_CSQLITE_H

#include <sqlite3.h>
#include <string.h>

// sqlite3_config() has a variable number of arguments, which Swift cannot pass.

// Sets how many bytes of a statement or of a savepoint SQLite keeps in memory, for the case that they are undone, before
// it creates a file for them: less than 128 KB. Only before the first connection of the process; else it returns
// SQLITE_MISUSE.
static inline int csqlite_keep_statement_journals(int bytes) {
    return sqlite3_config(SQLITE_CONFIG_STMTJRNL_SPILL, bytes);
}

// Swift has no safe access to a variable of C.

// Sets the folder of temporary files, unless an earlier call did. SQLite reads the variable without a lock, so it is
// set once, before the first connection of the process.
//
// The string does not come from sqlite3_malloc(), which would initialize SQLite before
// csqlite_keep_statement_journals(). Only PRAGMA temp_store_directory would free it.
static inline void csqlite_keep_temporary_files(const char *folder) {
    if (sqlite3_temp_directory == NULL) sqlite3_temp_directory = strdup(folder);
}

#endif

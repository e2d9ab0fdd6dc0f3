internal import GRDBSQLite

/// The memory that SQLite takes, of all databases of the process together.
package enum SQLiteMemory {
    /// Makes a statement fail that would take SQLite beyond a number of bytes, instead of the machine.
    ///
    /// The bound is one for the process, because SQLite counts no memory of a connection that it would refuse. Statements
    /// have bounds of their own in how much they can ask for (docs/queries.md); this one holds whatever they miss.
    /// May be called at any time.
    package static func limit(to bytes: Int) {
        _ = sqlite3_hard_heap_limit64(sqlite3_int64(bytes))
    }

    /// The bytes that caches of pages may fill: of each database its readers, those of single objects and the writer.
    package static func caches(of databases: Int, readers: Int, cacheSize: Int) -> Int {
        databases * (readers + SQLiteDatabase.lookupReaders + 1) * cacheSize
    }
}

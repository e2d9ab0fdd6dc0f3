internal import GRDB

extension DatabaseMigrator {
    /// Every change the schema ever went through, in order.
    ///
    /// A migration that has landed is never edited: databases in the field carry its name. docs/storage-format.md
    /// describes the result.
    static var lcfile: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1 files") { db in
            try db.execute(
                sql: """
                    CREATE TABLE file (
                        id            TEXT NOT NULL PRIMARY KEY,
                        key           TEXT NOT NULL UNIQUE,
                        name          TEXT NOT NULL,
                        media_type    TEXT NOT NULL,
                        detected_type TEXT,
                        size          INTEGER NOT NULL CHECK (size >= 0),
                        md5           TEXT NOT NULL CHECK (length(md5) = 32),
                        sha256        TEXT NOT NULL CHECK (length(sha256) = 64),
                        meta_data     TEXT NOT NULL CHECK (json_valid(meta_data)),
                        acl           TEXT CHECK (acl IS NULL OR json_valid(acl)),
                        created_at    INTEGER NOT NULL
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX file_newest ON file (created_at DESC, id DESC);
                    """
            )
        }
        return migrator
    }
}

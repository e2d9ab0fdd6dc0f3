internal import GRDB

extension DatabaseMigrator {
    /// All migrations of the schema, in order.
    ///
    /// A released migration is never edited: existing databases contain its name. docs/storage-format.md describes the
    /// result.
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
        migrator.registerMigration("v2 objects") { db in
            try db.execute(
                sql: """
                    CREATE TABLE class (
                        number INTEGER PRIMARY KEY,
                        name   TEXT NOT NULL UNIQUE,
                        schema TEXT NOT NULL CHECK (json_valid(schema))
                    ) STRICT;
                    CREATE TABLE relation (
                        class  INTEGER NOT NULL,
                        key    TEXT NOT NULL,
                        owner  TEXT NOT NULL,
                        member TEXT NOT NULL,
                        PRIMARY KEY (class, key, owner, member)
                    ) STRICT, WITHOUT ROWID;
                    CREATE INDEX relation_member ON relation (class, key, member, owner);
                    CREATE TABLE counter (
                        class INTEGER NOT NULL,
                        field TEXT NOT NULL,
                        last  INTEGER NOT NULL,
                        PRIMARY KEY (class, field)
                    ) STRICT, WITHOUT ROWID;
                    """
            )
            // Files become objects of the class _File, its first table. The SQL is written out, because a migration
            // must not change with the code that creates classes.
            try db.execute(
                sql: """
                    INSERT INTO class (number, name, schema) VALUES (1, '_File', '{"fields":{"key":{"type":"String"},\
                    "metaData":{"type":"Object"},"mime_type":{"type":"String"},"name":{"type":"String"}},\
                    "indexes":[{"fields":["key"],"unique":true}]}');
                    CREATE TABLE class_1 (
                        number     INTEGER PRIMARY KEY,
                        id         TEXT NOT NULL UNIQUE,
                        created_at INTEGER NOT NULL,
                        updated_at INTEGER NOT NULL,
                        acl        TEXT,
                        body       TEXT NOT NULL
                    ) STRICT;
                    CREATE INDEX class_1_created ON class_1 (created_at);
                    CREATE INDEX class_1_updated ON class_1 (updated_at);
                    CREATE UNIQUE INDEX "class_1 unique key" ON class_1 (json_extract(body, '$.key'));
                    INSERT INTO class_1 (id, created_at, updated_at, acl, body)
                        SELECT id, created_at, created_at, acl, json_patch(
                            json_object('_md5', md5, '_sha256', sha256, '_size', size, 'key', key,
                                'metaData', json(meta_data), 'mime_type', media_type, 'name', name),
                            json_object('_detected', detected_type))
                        FROM file ORDER BY created_at, id;
                    DROP TABLE file;
                    """
            )
        }
        migrator.registerMigration("v3 accounts") { db in
            // Users, roles, sessions and identities, written out for the same reason.
            let string = #"{"type":"String"}"#
            let pointer = #"{"className":"_User","type":"Pointer"}"#
            let verified = #"{"readOnly":true,"type":"Boolean"}"#
            let classes = [
                (
                    "_User", ["username", "email", "mobilePhoneNumber"], [],
                    """
                    {"_password":\(string),"authData":{"type":"Object"},"email":\(string),"emailVerified":\(verified),\
                    "mobilePhoneNumber":\(string),"mobilePhoneVerified":\(verified),"username":\(string)}
                    """
                ),
                (
                    "_Role", ["name"], [],
                    """
                    {"name":\(string),"roles":{"className":"_Role","type":"Relation"},\
                    "users":{"className":"_User","type":"Relation"}}
                    """
                ),
                ("_Session", ["_token"], ["user"], #"{"_token":\#(string),"user":\#(pointer)}"#),
                ("_Identity", ["identity"], ["user"], #"{"identity":\#(string),"user":\#(pointer)}"#),
            ]
            for (name, unique, plain, fields) in classes {
                try makeClass(name, unique: unique, plain: plain, fields: fields, db)
            }
        }
        migrator.registerMigration("v4 uploads") { db in
            let string = #"{"type":"String"}"#
            let number = #"{"type":"Number"}"#
            let pointer = #"{"className":"_Upload","type":"Pointer"}"#
            let classes = [
                (
                    "_Upload", ["_token"], ["expiresAt", "key"],
                    """
                    {"_token":\(string),"expiresAt":{"type":"Date"},"key":\(string),"metaData":{"type":"Object"},\
                    "mime_type":\(string),"name":\(string),"size":\(number),"state":\(string)}
                    """
                ),
                ("_UploadPart", [], ["upload"], #"{"number":\#(number),"size":\#(number),"upload":\#(pointer)}"#),
                (
                    "_Usage", [], [],
                    #"{"announced":\#(number),"bytes":\#(number),"files":\#(number),"uploads":\#(number)}"#
                ),
            ]
            for (name, unique, plain, fields) in classes {
                try makeClass(name, unique: unique, plain: plain, fields: fields, db)
            }
            // Files on other servers have their own URL.
            try db.execute(
                sql: "UPDATE class SET schema = json_set(schema, '$.fields.url', json(?)) WHERE number = 1",
                arguments: [string]
            )
            // The usage of existing files; the class created last stores it.
            try db.execute(
                sql: """
                    INSERT INTO class_\(try lastClass(db)) (id, created_at, updated_at, body)
                        SELECT 'usage', moment, moment,
                            json_object('announced', 0, 'bytes', bytes, 'files', files, 'uploads', 0)
                        FROM (
                            SELECT coalesce(sum(json_extract(body, '$._size')), 0) AS bytes, count(*) AS files,
                                CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) AS moment
                            FROM class_1
                        );
                    """
            )
        }
        migrator.registerMigration("v5 deletions") { db in
            try makeClass("_Deletion", unique: [], plain: ["key"], fields: #"{"key":{"type":"String"}}"#, db)
        }
        migrator.registerMigration("v6 mirror") { db in
            try makeClass("_GoneKey", unique: ["key"], plain: [], fields: #"{"key":{"type":"String"}}"#, db)
            try db.execute(
                sql: "UPDATE class SET schema = json_set(schema, '$.fields._mirror', json(?)) WHERE number = 1",
                arguments: [#"{"type":"String"}"#]
            )
        }
        migrator.registerMigration("v7 censorship") { db in try makeCensorship(db) }
        migrator.registerMigration("v8 mail") { db in try makeMail(db) }
        migrator.registerMigration("v9 people") { db in try makePeople(db) }
        migrator.registerMigration("v10 sms") { db in try makeSMS(db) }
        migrator.registerMigration("v11 checksums") { db in try addChecksums(db) }
        migrator.registerMigration("v12 damage") { db in try makeDamage(db) }
        migrator.registerMigration("v13 trash") { db in try makeTrash(db) }
        migrator.registerMigration("v14 console") { db in try makeConsole(db) }
        migrator.registerMigration("v15 live queries") { db in try makeLiveQueries(db) }
        return migrator
    }

    private static func lastClass(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db, sql: "SELECT max(number) FROM class") ?? 0
    }
}

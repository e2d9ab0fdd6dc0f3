internal import GRDB

/// The built-in classes as migrations make them: what they made once does not change with the code.
extension DatabaseMigrator {
    /// Creates the classes of the censorship queue, and the field and the index of the verdict in file records.
    static func makeCensorship(_ db: Database) throws {
        let (string, number) = (#"{"type":"String"}"#, #"{"type":"Number"}"#)
        let (date, boolean) = (#"{"type":"Date"}"#, #"{"type":"Boolean"}"#)
        let classes = [
            (
                "_CensorJob", ["turn", "run", "lease"],
                """
                {"attempts":\(number),"awaiting":\(boolean),"file":\(string),"lease":\(string),"position":\(string),\
                "run":\(string),"turn":\(string),"work":\(string)}
                """
            ),
            (
                "_CensorRun", [],
                """
                {"decided":\(number),"examined":\(number),"from":\(date),"passed":\(number),"position":\(string),\
                "queued":\(number),"recheck":\(boolean),"rejected":\(number),"review":\(number),"state":\(string),\
                "to":\(date),"total":\(number)}
                """
            ),
            (
                "_CensorLog", ["file"],
                """
                {"at":\(string),"by":\(string),"event":\(string),"file":\(string),"kind":\(string),"verdict":\(string)}
                """
            ),
            ("_CensorSettings", [], #"{"auto":\#(boolean),"hold":\#(boolean)}"#),
            (
                "_KnownImage", ["sha256", "pdq", "file"],
                #"{"file":\#(string),"note":\#(string),"pdq":\#(string),"sha256":\#(string)}"#
            ),
        ]
        for (name, indexes, fields) in classes { try makeClass(name, unique: [], plain: indexes, fields: fields, db) }
        let verdict = #"{"hidden":true,"readOnly":true,"type":"String"}"#
        let index = #"{"fields":["censorResult","createdAt"],"unique":false}"#
        try db.execute(
            sql: """
                UPDATE class SET schema = json_insert(
                    json_set(schema, '$.fields.censorResult', json(?)), '$.indexes[#]', json(?)
                ) WHERE number = 1
                """,
            arguments: [verdict, index]
        )
        try db.execute(
            sql: """
                CREATE INDEX "class_1 censor^result,created^at" ON class_1 \
                (json_extract(body, '$.censorResult'), created_at)
                """
        )
    }

    /// Creates the classes of the mail queue and of the links in mails.
    static func makeMail(_ db: Database) throws {
        let (string, date) = (#"{"type":"String"}"#, #"{"type":"Date"}"#)
        let pointer = #"{"className":"_User","type":"Pointer"}"#
        try makeClass(
            "_Mail",
            unique: [],
            plain: ["turn", "user", "lease"],
            fields: """
                {"attempts":{"type":"Number"},"failure":\(string),"lease":\(string),"purpose":\(string),\
                "redirect":\(string),"since":\(date),"to":\(string),"turn":\(string),"user":\(pointer)}
                """,
            db
        )
        try makeClass(
            "_MailLink",
            unique: ["_token"],
            plain: ["user", "expiresAt"],
            fields: """
                {"_token":\(string),"expiresAt":\(date),"purpose":\(string),"redirect":\(string),"to":\(string),\
                "user":\(pointer)}
                """,
            db
        )
    }

    /// Creates the classes of inboxes and of the queue that fills them.
    static func makePeople(_ db: Database) throws {
        let (string, number) = (#"{"type":"String"}"#, #"{"type":"Number"}"#)
        try makeClass(
            "_Inbox",
            unique: ["box"],
            plain: [],
            fields: #"{"box":\#(string),"last":\#(number),"read":\#(number)}"#,
            db
        )
        try makeClass(
            "_InboxItem",
            unique: ["place", "delivery"],
            plain: [],
            fields: #"{"delivery":\#(string),"place":\#(string)}"#,
            db
        )
        try makeClass(
            "_PeopleJob",
            unique: [],
            plain: ["turn"],
            fields: """
                {"attempts":\(number),"cursor":\(string),"delivery":{"type":"Object"},"subject":\(string),\
                "turn":\(string),"work":\(string)}
                """,
            db
        )
    }

    /// Creates the classes of the SMS queue, of the codes in SMS and of answered captchas.
    static func makeSMS(_ db: Database) throws {
        let (string, number, date) = (#"{"type":"String"}"#, #"{"type":"Number"}"#, #"{"type":"Date"}"#)
        let (boolean, pointer) = (#"{"type":"Boolean"}"#, #"{"className":"_User","type":"Pointer"}"#)
        try makeClass(
            "_Sms",
            unique: [],
            plain: ["turn", "user", "lease"],
            fields: """
                {"attempts":\(number),"empty":\(boolean),"failure":\(string),"lease":\(string),"lifetime":\(number),\
                "nonce":\(string),"number":\(string),"purpose":\(string),"sign":\(string),"since":\(date),\
                "template":\(string),"turn":\(string),"user":\(pointer),"variables":{"type":"Object"},"voice":\(boolean)}
                """,
            db
        )
        try makeClass(
            "_SmsCode",
            unique: ["target"],
            plain: ["user", "expiresAt"],
            fields: """
                {"expiresAt":\(date),"nonce":\(string),"number":\(string),"purpose":\(string),"target":\(string),\
                "tries":\(number),"user":\(pointer)}
                """,
            db
        )
        try makeClass(
            "_Captcha",
            unique: ["nonce"],
            plain: ["expiresAt"],
            fields: #"{"expiresAt":\#(date),"nonce":\#(string),"state":\#(string)}"#,
            db
        )
    }

    /// Creates the class of what is known to be damaged.
    static func makeDamage(_ db: Database) throws {
        let string = #"{"type":"String"}"#
        try makeClass(
            "_Damage",
            unique: ["subject"],
            plain: ["kind"],
            fields: """
                {"detail":\(string),"file":\(string),"identity":\(string),"kind":\(string),"position":\(string),\
                "subject":\(string)}
                """,
            hasChecksums: true,
            db
        )
    }

    /// Creates the class of the trash, and the fields that the deletion queue and the usage have for it.
    static func makeTrash(_ db: Database) throws {
        let (string, number) = (#"{"type":"String"}"#, #"{"type":"Number"}"#)
        try makeClass(
            "_Trash",
            unique: [],
            plain: ["file", "expiresAt"],
            fields: """
                {"by":\(string),"expiresAt":{"type":"Date"},"file":\(string),"key":\(string),"name":\(string),\
                "reason":\(string),"size":\(number)}
                """,
            hasChecksums: true,
            db
        )
        try db.execute(
            sql: """
                UPDATE class SET schema = json_set(schema, '$.fields.trash', json('{"type":"Boolean"}'))
                    WHERE name = '_Deletion';
                UPDATE class SET schema = json_set(schema, '$.fields.trashBytes', json('{"type":"Number"}'),
                    '$.fields.trashFiles', json('{"type":"Number"}')) WHERE name = '_Usage';
                """
        )
    }

    /// Creates the classes of the console.
    static func makeConsole(_ db: Database) throws {
        let (string, date) = (#"{"type":"String"}"#, #"{"type":"Date"}"#)
        try makeClass(
            "_ConsoleSession",
            unique: [],
            plain: [],
            fields: """
                {"_token":\(string),"address":\(string),"browser":\(string),"expiresAt":\(date),"lastUsedAt":\(date),\
                "readOnly":{"type":"Boolean"}}
                """,
            hasChecksums: true,
            db
        )
        try makeClass(
            "_ConsoleAudit",
            unique: [],
            plain: ["session"],
            fields: """
                {"address":\(string),"method":\(string),"path":\(string),"requestId":\(string),"session":\(string),\
                "status":{"type":"Number"},"summary":\(string)}
                """,
            hasChecksums: true,
            db
        )
    }

    /// Creates the class of the live queries of several servers, which has no rows in SQLite.
    static func makeLiveQueries(_ db: Database) throws {
        let string = #"{"type":"String"}"#
        try makeClass(
            "_LiveQuery",
            unique: [],
            plain: ["installation", "expiresAt"],
            fields: """
                {"class":\(string),"expiresAt":{"type":"Date"},"installation":\(string),\
                "master":{"type":"Boolean"},"query":\(string),"session":\(string),"user":\(string)}
                """,
            hasChecksums: true,
            db
        )
    }

    /// Creates a class with its table, as the code of "v3 accounts" and later does.
    ///
    /// Migrations after "v11 checksums" set `hasChecksums`.
    static func makeClass(
        _ name: String,
        unique: [String],
        plain: [String],
        fields: String,
        hasChecksums: Bool = false,
        _ db: Database
    ) throws {
        let indexes =
            unique.map { #"{"fields":["\#($0)"],"unique":true}"# }
            + plain.map { #"{"fields":["\#($0)"],"unique":false}"# }
        try db.execute(
            sql: "INSERT INTO class (name, schema) VALUES (?, ?)",
            arguments: [name, #"{"fields":\#(fields),"indexes":[\#(indexes.joined(separator: ","))]}"#]
        )
        let table = "class_\(db.lastInsertedRowID)"
        try db.execute(
            sql: """
                CREATE TABLE \(table) (
                    number     INTEGER PRIMARY KEY,
                    id         TEXT NOT NULL UNIQUE,
                    created_at INTEGER NOT NULL,
                    updated_at INTEGER NOT NULL,
                    acl        TEXT,
                    body       TEXT NOT NULL\(hasChecksums ? ",\n    checksum   INTEGER" : "")
                ) STRICT;
                CREATE INDEX \(table)_created ON \(table) (created_at);
                CREATE INDEX \(table)_updated ON \(table) (updated_at);
                """
        )
        // Names of indexes are not case-sensitive: a capital is written as ^ and its small letter.
        func escaped(_ field: String) -> String {
            field.map { $0.isUppercase ? "^\($0.lowercased())" : "\($0)" }.joined()
        }
        for field in unique {
            try db.execute(
                sql: """
                    CREATE UNIQUE INDEX "\(table) unique \(escaped(field))" ON \(table) (json_extract(body, '$.\(field)'))
                    """
            )
        }
        for field in plain {
            try db.execute(
                sql: """
                    CREATE INDEX "\(table) \(escaped(field))" ON \(table) (json_extract(body, '$.\(field)'))
                    """
            )
        }
    }
}

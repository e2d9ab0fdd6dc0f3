import Domain
import Foundation
import GRDB
import Support
import Testing

@testable import SQLiteStore

/// Databases of earlier versions of the server, in detail.
@Suite struct MigrationTests {
    @Test("file records of the first version become objects of _File, nothing lost")
    func filesBecomeObjects() async throws {
        try await Fixture(version: 1).withDatabase { database, _ in
            let records = FileRecords(SQLiteObjectStore(database))
            let key = try #require(FileKey("8JDPZph28G5g397aZbxhT3ENu4VlzTgk.jpg"))
            let record = try #require(try await records.file(key: key))
            #expect(record.id == ObjectID("6b017ba12dd266ba0b930c5d"))
            #expect(record.name.description == "rocket.jpg")
            #expect(record.mediaType == .jpeg)
            #expect(record.detectedType == .jpeg)
            #expect(record.facts.size == 112_525)
            #expect(record.facts.md5 == "511130d2072cc744a1fa5015bc23557a")
            #expect(record.metaData["标签"] == "火箭")
            #expect(record.metaData["nested"] == .object(["a": .array([.integer(1), .number(2.5), .null])]))
            #expect(record.createdAt.iso8601 == "2026-11-21T11:08:17.179Z")
            let ids = try ["6b017ba136872f06a42f0d9f", "6b017ba13ae187b5ea4eba83"].map { try #require(ObjectID($0)) }
            let second = try #require(try await records.file(id: ids[0]))
            #expect(second.acl?.json == ["*": .object(["read": .bool(true)])])
            let third = try #require(try await records.file(id: ids[1]))
            #expect(third.facts.size == 0)
            #expect(try await SQLiteObjectStore(database).read { try $0.count(.always, in: .file) } == 3)
        }
    }

    @Test("a database of the second version opens as it is")
    func objects() async throws {
        try await Fixture(version: 2).withDatabase { database, _ in
            let store = SQLiteObjectStore(database)
            let (task, folder) = (try ClassName("Task"), try ClassName("Folder"))
            let id = try #require(ObjectID("6b017bc665e3c171d5a4d23b"))
            let object = try #require(try await store.read { try $0.object(id, in: task) })
            #expect(object.fields["title"] == "洗")
            #expect(object.fields["due"] == .date(try #require(Timestamp(iso8601: "2024-03-01T08:00:00.120Z"))))
            #expect(object.acl?.json == ["*": .object(["read": .bool(true)])])
            let schema = try #require(try await store.read { try $0.schema(of: task) })
            #expect(schema.fields["serial"]?.isAutoIncrement == true)
            #expect(schema.fields["folder"]?.type == .pointer(folder))
            #expect(schema.indexes.map(\.name) == ["serial", "profile.city,n"])
            let members = Condition.member(of: Pointer(task, id), key: "likes")
            #expect(try await store.read { try $0.count(members, in: folder) } == 1)
            #expect(try await store.write { try $0.nextNumber(of: "serial", in: task) } == 2)
        }
    }

    @Test("a database of the third version opens as it is: users, sessions, roles and permissions")
    func accounts() async throws {
        try await Fixture(version: 3).withDatabase { database, _ in
            let store = SQLiteObjectStore(database)
            let accounts = AccountDependencies(changes: store.changes, hasher: PlainHasher())
            let sessions = SessionService(store: store, dependencies: accounts)
            let caller = try await sessions.caller(Samples.guest(), showing: "eruvb295ewg99yxfarktnbwdx")
            let id = try #require(ObjectID("6b02011fff7ceadee26a40d8"))
            #expect(caller.user?.id == id)
            #expect(caller.user?.roles == ["Editors"])
            let user = try #require(try await store.read { try $0.object(id, in: .user) })
            #expect(user.fields["username"] == "安")
            #expect(user.fields[PasswordHash.field]?.stringValue?.hasPrefix("$scrypt$ln=10,r=8,p=1$") == true)
            let imported = try #require(ObjectID("6b0201200395f4d8df7d2ff2"))
            let old = try #require(try await store.read { try $0.object(imported, in: .user) })
            #expect(old.fields[PasswordHash.field]?.stringValue?.hasPrefix("$leancloud$h60d8x7") == true)
            let identities = try await store.read { try $0.find(ObjectQuery(.identity, page: .all)) }
            #expect(identities.map(\.fields["identity"]) == ["github:u1"])
            let files = try #require(try await store.read { try $0.schema(of: .file) })
            #expect(files.permissions[.delete] == [.role("Editors")])
            let notes = try #require(try await store.read { try $0.schema(of: ClassName("Note")) })
            #expect(notes.permissions[.create] == [.users])
            #expect(notes.permissions[.find] == [.user(id)])
            #expect(notes.defaultACL?.json.keys.sorted() == ["owner"])
            let note = try #require(
                try await store.read { try $0.find(ObjectQuery(ClassName("Note"), page: .first)).first }
            )
            #expect(note.acl?.json.keys.sorted() == [id.description])
        }
    }

    @Test("a database of the fourth version opens as it is: files here and elsewhere, uploads on their way, usage")
    func uploads() async throws {
        try await Fixture(version: 4).withDatabase { database, _ in
            let store = SQLiteObjectStore(database)
            let file = try #require(try await store.read { try $0.find(ObjectQuery(.file, page: .first)).first })
            let record = try FileRecord(stored: file)
            #expect(record.facts.digest == .contentHash("FqmZPjZHBoFquj4lcXhQwmyc0Nid"))
            let isElsewhere = Condition.field(FieldPath(field: "name"), .equals(.string("logo.png")))
            let elsewhere = try await store.read { try $0.find(ObjectQuery(.file, where: isElsewhere)) }
            #expect(elsewhere.map(\.fields["url"]) == ["https://elsewhere.example.org/logo.png"])
            let uploads = UploadService(
                app: try #require(AppID("app")),
                limits: UploadLimits(),
                storage: BlobStorage(staging: MemoryStagingArea(), blobs: MemoryBlobStore()),
                store: store,
                types: FixedTypes(),
                sessions: SessionService(
                    store: store,
                    dependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
                ),
                clock: { Timestamp(milliseconds: 1_795_306_000_000) }
            )
            let token = try #require(UploadToken("LUhqPl27c4RN587UR6l8fIAv6RktIo3iXF4VuayC"))
            let progress = try await uploads.using(token) { $0.progress }
            #expect(progress.state == "receiving")
            #expect(progress.received == 1_500_000)
            #expect(progress.size == 3_000_000)
            let usage = try await store.read { try $0.usage() }
            #expect([usage.bytes, usage.files, usage.announced, usage.uploads] == [3, 1, 3_000_000, 2])
        }
    }

    @Test("a database of the fifth version opens as it is: a deleted file whose bytes wait, which a copy leaves out")
    func deletions() async throws {
        try await Fixture(version: 5).withDatabase { database, _ in
            let rows = try await SQLiteObjectStore(database).read { try $0.find(ObjectQuery(.deletion, page: .all)) }
            #expect(rows.map(\.id.description) == ["6b037973ce9749ecd3c067fd"])
            #expect(rows.map(\.fields) == [["key": "Gqc2EjHpXii0TK9jl9bf5UEfTmyMb4TB.txt"]])
            try await Samples.withFolder { folder in
                let copy = try DatabaseCopy(of: database.pool.path, at: "\(folder)/copy.sqlite")
                try copy.close()
                let copied = SQLiteObjectStore(try SQLiteDatabase(path: "\(folder)/copy.sqlite"))
                #expect(try await copied.read { try $0.count(.always, in: .deletion) } == 0)
                #expect(try await copied.read { try $0.count(.always, in: .file) } == 1)
            }
        }
    }

    @Test(
        "what was there before the fourth version counts",
        arguments: [(1, 3, 112_531), (3, 0, 0)] as [(Int, Int64, Int64)]
    )
    func usage(version: Int, files: Int64, bytes: Int64) async throws {
        try await Fixture(version: version).withDatabase { database, _ in
            let usage = try await SQLiteObjectStore(database).read { try $0.usage() }
            #expect(usage.files == files)
            #expect(usage.bytes == bytes)
            #expect(usage.uploads == 0)
        }
    }

    @Test(
        "migrating an old database and making a new one give the same tables",
        arguments: Fixture.all
    )
    func sameTables(fixture: Fixture) async throws {
        func tables(_ database: SQLiteDatabase) async throws -> [String] {
            try await database.pool.read { db in
                try String.fetchAll(
                    db,
                    sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name IN "
                        + "('class', 'class_1', 'relation', 'counter') ORDER BY name"
                )
            }
        }
        try await Samples.withFolder { folder in
            let fresh = try SQLiteDatabase(path: "\(folder)/fresh.sqlite")
            let expected = try await tables(fresh)
            try await fixture.withDatabase { database, _ in
                let migrated = try await tables(database)
                #expect(migrated == expected)
            }
        }
    }

    @Test(
        "the classes that every migrated database has are those that new code knows",
        // In the third one an app had set permissions and fields of such classes.
        arguments: Fixture.all.filter { $0.version != 3 }
    )
    func builtIn(fixture: Fixture) async throws {
        try await fixture.withDatabase { database, _ in
            for schema in ClassSchema.builtIn {
                let migrated = try await SQLiteObjectStore(database).read { try $0.schema(of: schema.name) }
                #expect(migrated == schema)
            }
        }
    }

    @Test("their tables and indexes are those that new code would make")
    func builtInTables() async throws {
        func tables(of name: ClassName, in database: SQLiteDatabase) async throws -> [String] {
            let number = try #require(database.catalog.current.entries[name]?.number)
            let sql = try await database.pool.read { db in
                try String.fetchAll(
                    db,
                    sql: "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND tbl_name = ?",
                    arguments: ["class_\(number)"]
                )
            }
            return sql.map { $0.replacing("class_\(number)", with: "class") }.sorted()
        }
        try await Fixture(version: 1).withDatabase { database, _ in
            for schema in ClassSchema.builtIn {
                let copy = try ClassName("Copy\(schema.name)")
                try await SQLiteObjectStore(database).write {
                    try $0.save(ClassSchema(name: copy, fields: schema.fields, indexes: schema.indexes))
                }
                let migrated = try await tables(of: schema.name, in: database)
                let made = try await tables(of: copy, in: database)
                #expect(migrated == made)
            }
        }
    }
}

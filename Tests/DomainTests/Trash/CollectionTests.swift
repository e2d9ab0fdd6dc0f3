import Support
import Testing

@testable import Domain

/// Files to which nothing refers, found and moved to the trash.
@Suite struct CollectionTests {
    private let fixture: DeletionFixture
    private let collections: CollectionService
    private let page: ClassName
    private let old = Timestamp.now().adding(seconds: -100_000)

    init() throws {
        fixture = try DeletionFixture()
        page = try ClassName("Page")
        let server = fixture.server()
        let settings = fixture.uploads.people.objects.settings
        collections = CollectionService(
            store: fixture.store,
            trash: TrashService(store: fixture.store, blobs: server.blobs, uploads: server.uploads, settings: settings),
            fileDomains: ["https://files.example.com"],
            styleSeparator: "-"
        )
    }

    private func insert(_ count: Int, at time: Timestamp? = nil) async throws -> [FileRecord] {
        let records = try (0..<count).map { _ in try Samples.record(createdAt: time ?? old) }
        for record in records { _ = try await fixture.blobs.store("abc", as: record.key) }
        try await FileRecords(fixture.store).insert(records)
        return records
    }

    /// Creates an object that refers to a file.
    private func refer(to file: FileRecord) async throws {
        let pointer = JSONValue.object([
            "__type": "Pointer", "className": "_File", "objectId": .string(file.id.description),
        ])
        let change = try ObjectChange(.object(["file": pointer]), allowsPaths: false)
        let command = ObjectCommand(page, .create(change, returnsObject: false))
        _ = try await fixture.server().objects.perform(command, as: fixture.master)
    }

    private func scanned(_ seconds: Int = 3600) async throws -> ObjectID {
        let order = FileCollection.Order(unusedFor: seconds, rules: ReferenceRules())
        let id = try await collections.begin(order, as: fixture.master).id
        while try await collections.scan(id, as: fixture.master).isComplete == false {}
        return id
    }

    /// The ids of all files that a collection finds.
    private func found(_ id: ObjectID) async throws -> Set<ObjectID> {
        var (ids, cursor): (Set<ObjectID>, ObjectID?) = ([], nil)
        repeat {
            let page = try await collections.files(of: id, after: cursor, as: fixture.master)
            ids.formUnion(page.records.map(\.id))
            cursor = page.cursor
        } while cursor != nil
        return ids
    }

    @Test("old files to which nothing refers are found in pages; younger ones and used ones are not")
    func listing() async throws {
        let records = try await insert(CollectionService.pageSize + 20)
        _ = try await insert(1, at: .now())
        for record in records[..<3] { try await refer(to: record) }
        #expect(try await found(scanned()) == Set(records[3...].map(\.id)))
    }

    @Test("members of relations, the image for blocked files, and files without bytes stay")
    func kept() async throws {
        let records = try await insert(2)
        var schema = ClassSchema(name: page)
        schema.fields["files"] = FieldDefinition(.relation(.file))
        let elsewhere = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: old,
            updatedAt: old,
            fields: ["url": "https://elsewhere.example.org/a.png", "name": "a.png"]
        )
        try await fixture.store.write { [schema, page] writer in
            try writer.save(schema)
            try writer.relate(Pointer(page, ObjectIDGenerator().next()), "files", to: [records[0].id])
            try writer.insert(elsewhere, into: .file)
        }
        #expect(try await found(scanned()) == [records[1].id])
    }

    @Test("a collected file is in the trash for the time of collected files, and comes back")
    func collecting() async throws {
        let record = try await insert(1)[0]
        let id = try await scanned()
        let (records, saved, _) = try await collections.collect(id, after: nil, as: fixture.master)
        #expect(records.map(\.id) == [record.id])
        #expect(saved == 0)
        let entry = try #require(try await fixture.store.read { try $0.trashEntry(record.id) })
        #expect(entry.reason == .collected)
        #expect(entry.expiresAt == entry.deletedAt.adding(seconds: TrashSettings().keepCollected))
        _ = try await collections.trash.restore(record.id, as: fixture.master)
        #expect(try await FileRecords(fixture.store).file(id: record.id) == record)
    }

    @Test("a reference that is made during the scan, or after it, saves a file", arguments: [false, true])
    func references(isAfterScan: Bool) async throws {
        let records = try await insert(2)
        let order = FileCollection.Order(unusedFor: 3600, rules: ReferenceRules())
        let id = try await collections.begin(order, as: fixture.master).id
        if !isAfterScan { try await refer(to: records[0]) }
        while try await collections.scan(id, as: fixture.master).isComplete == false {}
        if isAfterScan { try await refer(to: records[0]) }
        let collected = try await collections.collect(id, after: nil, as: fixture.master).records
        #expect(collected.map(\.id) == [records[1].id])
        #expect(try await FileRecords(fixture.store).file(id: records[0].id) != nil)
    }

    @Test("files are saved in every order of references and collections that run at the same time")
    func races() async throws {
        let records = try await insert(40)
        let id = try await scanned()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for record in records { group.addTask { try await refer(to: record) } }
            group.addTask { _ = try await collections.collect(id, after: nil, as: fixture.master) }
            try await group.waitForAll()
        }
        // A reference that was committed before the collection's transaction kept its file in place; of the others,
        // those that were reported by its end brought it back. What is in the trash was collected first.
        let left = try await fixture.store.read { try $0.count(.always, in: .file) }
        let trashed = fixture.store.count(of: .trash)
        #expect(left + trashed == records.count)
    }

    @Test("a file that was changed or deleted since it was found is not collected")
    func changed() async throws {
        let records = try await insert(3)
        let id = try await scanned()
        try await fixture.store.write { [old] writer in
            var object = records[0].object
            object.updatedAt = old.adding(seconds: 99_000)
            try writer.update(object, in: .file)
        }
        try await fixture.delete([records[1]], on: fixture.server())
        let collected = try await collections.collect(id, after: nil, as: fixture.master).records
        #expect(collected.map(\.id) == [records[2].id])
    }

    @Test("calls are for the master key, on a scanned collection that has not ended")
    func errors() async throws {
        let guest = fixture.uploads.people.guest
        let order = FileCollection.Order(unusedFor: 3600, rules: ReferenceRules())
        await expectFailure(.masterKeyRequired) { _ = try await collections.begin(order, as: guest) }
        let short = FileCollection.Order(unusedFor: 3599, rules: ReferenceRules())
        await expectFailure(.badRequest) { _ = try await collections.begin(short, as: fixture.master) }
        let id = try await collections.begin(order, as: fixture.master).id
        await expectFailure(.masterKeyRequired) { _ = try await collections.scan(id, as: guest) }
        await expectFailure(.masterKeyRequired) { _ = try await collections.collect(id, after: nil, as: guest) }
        await expectFailure(.conflict) { _ = try await collections.files(of: id, after: nil, as: fixture.master) }
        let next = try await scanned()
        await expectFailure(.objectNotFound) { _ = try await collections.scan(id, as: fixture.master) }
        fixture.store.changes.publishMissed()
        await expectFailure(.conflict) { _ = try await collections.collect(next, after: nil, as: fixture.master) }
        try collections.end(next, as: fixture.master)
        await expectFailure(.objectNotFound) { _ = try await collections.scan(next, as: fixture.master) }
    }

    // MARK: Several servers

    /// A server whose changes of other servers the test keeps back.
    private func other() -> (store: ServerStore, collections: CollectionService) {
        let (store, server) = (ServerStore(of: fixture.store), fixture.server())
        let settings = fixture.uploads.people.objects.settings
        let trash = TrashService(store: store, blobs: server.blobs, uploads: server.uploads, settings: settings)
        return (store, CollectionService(store: store, trash: trash, fileDomains: [], styleSeparator: "-"))
    }

    private func scanned(by collections: CollectionService) async throws -> ObjectID {
        let order = FileCollection.Order(unusedFor: 3600, rules: ReferenceRules())
        let id = try await collections.begin(order, as: fixture.master).id
        while try await collections.scan(id, as: fixture.master).isComplete == false {}
        return id
    }

    @Test("a reference that another server stored a moment ago saves the file, although the feed is late")
    func lateReference() async throws {
        let (store, collections) = other()
        let files = try await insert(2)
        let id = try await scanned(by: collections)
        store.hold()
        try await refer(to: files[0])
        let result = try await collections.collect(id, after: nil, as: fixture.master)
        #expect(result.records.map(\.id) == [files[1].id])
        #expect(result.saved == 1)
    }

    @Test("nothing is collected if the transaction finds out that changes of other servers were lost")
    func lostReference() async throws {
        let (store, collections) = other()
        let files = try await insert(2)
        let id = try await scanned(by: collections)
        store.hold()
        try await refer(to: files[0])
        store.loseAtNextWrite()
        await expectRefusal(.conflict) { try await collections.collect(id, after: nil, as: fixture.master) }
        #expect(fixture.store.count(of: .file) == 2)
        #expect(fixture.store.count(of: .trash) == 0)
    }

    @Test("a server that did not begin a collection says so")
    func otherServer() async throws {
        let (first, second) = (other().collections, other().collections)
        let id = try await scanned(by: first)
        let error = await #expect(throws: ServiceError.self) { try await second.scan(id, as: fixture.master) }
        #expect(error?.code == .objectNotFound)
        #expect(error?.message.contains("another server") == true)
    }
}

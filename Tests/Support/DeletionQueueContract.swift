package import Domain
internal import Testing

/// The contract of the deletion queue on every ``ObjectStore``: a record and its row change together.
package enum DeletionQueueContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("a deletion takes the record and leaves a row with its id and key") { store in
            let records = try await insertRecords(3, store)
            try await delete(records[..<2].map(\.id), store)
            #expect(try await queue(store) == records[..<2].map(\.key.description))
            #expect(try await store.read { try $0.row(records[0].id, in: .deletion) } != nil)
            #expect(try await store.read { try $0.count(.always, in: .file) } == 1)
        },
        ContractRule("what is deleted already, or was never there, or lies elsewhere, queues nothing") { store in
            let records = try await insertRecords(1, store)
            try await delete([records[0].id, records[0].id, ObjectIDGenerator().next()], store)
            try await delete([records[0].id], store)
            let elsewhere = StoredObject(
                id: ObjectIDGenerator().next(),
                createdAt: .now(),
                updatedAt: .now(),
                fields: ["url": "https://elsewhere.example.org/a.png", "name": "a.png"]
            )
            try await store.write { try $0.insert(elsewhere, into: .file) }
            try await delete([elsewhere.id], store)
            #expect(try await queue(store) == [records[0].key.description])
        },
        ContractRule("a deletion that is refused leaves the record and no row, and so does each of a batch") { store in
            let records = try await insertRecords(2, store)
            let guest = try Samples.guest()
            let command = ObjectCommand(.file, .delete([records[0].id], where: nil))
            await #expect(throws: ServiceError.self) { try await service(store).perform(command, as: guest) }
            let isOther = Condition.field(FieldPath(field: "name"), .equals("another name"))
            let commands = [
                ObjectCommand(.file, .delete([records[0].id, records[1].id], where: isOther)),
                ObjectCommand(.file, .delete([records[1].id], where: nil)),
            ]
            var batch = ObjectBatch()
            let replies = try await service(store).perform(commands.map { .success($0) }, in: &batch, as: master())
            #expect(replies.map { (try? $0.get()) != nil } == [false, true])
            #expect(try await queue(store) == [records[1].key.description])
            #expect(try await store.read { try $0.row(records[0].id, in: .file) } != nil)
        },
        ContractRule("an id that waits already does not keep a later file of that id from being deleted") { store in
            let first = try await insertRecords(1, store)[0]
            try await delete([first.id], store)
            let second = try Samples.record(id: first.id)
            try await FileRecords(store).insert([second])
            try await delete([second.id], store)
            #expect(try await queue(store) == [first.key.description, second.key.description])
        },
        ContractRule("rows are the master key's to see and nobody's to write") { store in
            let record = try await insertRecords(1, store)[0]
            try await delete([record.id], store)
            let search = ObjectCommand(.deletion, .find(ObjectCommand.Search(page: try Page())))
            #expect(try await service(store).perform(search, as: master()).listing?.objects.count == 1)
            let guest = try Samples.guest()
            await #expect(throws: ServiceError.self) { try await service(store).perform(search, as: guest) }
            let delete = ObjectCommand(.deletion, .delete([record.id], where: nil))
            await #expect(throws: ServiceError.self) { try await service(store).perform(delete, as: master()) }
            #expect(try await queue(store).count == 1)
        },
    ]

    /// The keys in the queue, in its order.
    private static func queue(_ store: any ObjectStore) async throws -> [String] {
        let rows = try await store.read { try $0.find(ObjectQuery(.deletion, page: .all)) }
        return rows.compactMap { $0.fields["key"]?.stringValue }
    }

    private static func insertRecords(_ count: Int, _ store: any ObjectStore) async throws -> [FileRecord] {
        let records = try (0..<count).map { _ in try Samples.record() }
        try await FileRecords(store).insert(records)
        return records
    }

    private static func delete(_ ids: [ObjectID], _ store: any ObjectStore) async throws {
        _ = try await service(store).perform(ObjectCommand(.file, .delete(ids, where: nil)), as: master())
    }

    private static func service(_ store: any ObjectStore) -> ObjectService {
        ObjectService(
            store: store,
            settings: ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher())
            )
        )
    }

    private static func master() throws -> Caller {
        Caller(app: try Samples.guest().app, isMaster: true)
    }
}

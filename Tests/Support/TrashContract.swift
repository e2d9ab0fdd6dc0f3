package import Domain
internal import Testing

/// The contract of the trash on every ``ObjectStore``: record, entry, row of the deletion queue and usage change
/// together.
package enum TrashContract {
    package static let rules: [ContractRule<any ObjectStore>] = entering + leaving + relations

    private static let entering: [ContractRule<any ObjectStore>] = [
        ContractRule("a deleted file becomes an entry with a row of the deletion queue") { store in
            let record = try await insert(store)
            try await delete([record.id], store)
            let entry = try #require(try await entries(store).first)
            #expect(entry.record == record.object)
            #expect(entry.id != record.id)
            #expect(entry.deletedBy == "master")
            #expect(entry.reason == .deleted)
            #expect(entry.expiresAt == entry.deletedAt.adding(seconds: 60))
            #expect(try await store.read { try $0.count(.always, in: .file) } == 0)
            #expect(try await store.read { try $0.row(entry.id, in: .deletion) } != nil)
        },
        ContractRule("bytes in the trash count, by themselves") { store in
            let records = [try await insert(store), try await insert(store)]
            let before = try await store.read { try $0.usage() }
            try await delete([records[0].id], store)
            let usage = try await store.read { try $0.usage() }
            #expect(usage.bytes == before.bytes - records[0].facts.size)
            #expect(usage.files == before.files - 1)
            #expect(usage.trashBytes == records[0].facts.size)
            #expect(usage.trashFiles == 1)
        },
        ContractRule("the same id goes into the trash several times") { store in
            let first = try await insert(store)
            try await delete([first.id], store)
            let second = try Samples.record(id: first.id)
            try await FileRecords(store).insert([second])
            try await delete([second.id], store)
            #expect(try await entries(store).map(\.record) == [first.object, second.object])
        },
        ContractRule("a file on another server needs no row and no bytes") { store in
            let elsewhere = StoredObject(
                id: ObjectIDGenerator().next(),
                createdAt: .now(),
                updatedAt: .now(),
                fields: ["url": "https://elsewhere.example.org/a.png", "name": "a.png"]
            )
            try await store.write { try $0.insert(elsewhere, into: .file) }
            try await delete([elsewhere.id], store)
            #expect(try await entries(store).map(\.record) == [elsewhere])
            #expect(try await store.read { try $0.count(.always, in: .deletion) } == 0)
            #expect(try await store.read { try $0.usage() }.trashFiles == 0)
        },
        ContractRule("a deletion that is refused leaves the record and no entry") { store in
            let record = try await insert(store)
            let command = ObjectCommand(.file, .delete([record.id], where: nil))
            let guest = try Samples.guest()
            await #expect(throws: ServiceError.self) { try await service(store).perform(command, as: guest) }
            #expect(try await entries(store).isEmpty)
            #expect(try await store.read { try $0.row(record.id, in: .file) } != nil)
        },
        ContractRule("only the master key reads the class, without the record, and nobody writes it") { store in
            let record = try await insert(store)
            try await delete([record.id], store)
            let id = try #require(try await entries(store).first).id
            let search = ObjectCommand(.trash, .find(ObjectCommand.Search(page: try Page())))
            let found = try await service(store).perform(search, as: master()).listing?.objects
            #expect(found?.count == 1)
            let guest = try Samples.guest()
            await #expect(throws: ServiceError.self) { try await service(store).perform(search, as: guest) }
            let delete = ObjectCommand(.trash, .delete([id], where: nil))
            await #expect(throws: ServiceError.self) { try await service(store).perform(delete, as: master()) }
            #expect(try await entries(store).count == 1)
        },
    ]

    private static let leaving: [ContractRule<any ObjectStore>] = [
        ContractRule("an entry that is removed leaves one row for its bytes, wherever they are") { store in
            for isMoved in [false, true] {
                let record = try await insert(store)
                try await delete([record.id], store)
                let entry = try #require(try await entries(store).first)
                if isMoved { try await store.write { _ = try $0.delete(entry.id, in: .deletion) } }
                try await store.write { _ = try $0.removeFromTrash([entry.id, record.id], at: .now()) }
                #expect(try await entries(store).isEmpty)
                let row = try #require(try await store.read { try $0.object(entry.id, in: .deletion) })
                #expect(row.fields["key"] == (isMoved ? nil : .string(record.key.description)))
                #expect(try await store.read { try $0.usage() }.trashBytes == 0)
                try await store.write { _ = try $0.delete(entry.id, in: .deletion) }
            }
        },
        ContractRule("an entry that is restored is the record as it was, and its bytes leave the trash") { store in
            let record = try await insert(store)
            let gone = StoredObject(
                id: ObjectIDGenerator().next(),
                createdAt: .now(),
                updatedAt: .now(),
                fields: ["key": .string(record.key.description)]
            )
            try await store.write { try $0.insert(gone, into: .goneKey) }
            try await delete([record.id], store)
            let entry = try #require(try await entries(store).first)
            try await store.write { try $0.restore(entry, at: .now()) }
            #expect(try await store.read { try $0.object(record.id, in: .file) } == record.object)
            #expect(try await entries(store).isEmpty)
            let row = try #require(try await store.read { try $0.object(entry.id, in: .deletion) })
            #expect(row.fields["key"] == nil)
            let usage = try await store.read { try $0.usage() }
            #expect(usage.trashBytes == 0 && usage.bytes == record.facts.size)
            #expect(try await store.read { try $0.count(.always, in: .goneKey) } == 0)
        },
        ContractRule("a restored file that waits for its check waits again, and a rejected one stays rejected") {
            store in
            for verdict in [Verdict.pending, .rejected] {
                let record = try await insert(store, verdict: verdict)
                try await delete([record.id], store)
                let entry = try #require(try await entries(store).first)
                try await store.write { try $0.restore(entry, at: .now()) }
                #expect(try await store.read { try $0.object(record.id, in: .file) }?.verdict == verdict)
                let isQueued = try await store.read { try $0.row(record.id, in: .censorJob) } != nil
                #expect(isQueued == (verdict == .pending))
            }
        },
        ContractRule("an id or a key that was taken meanwhile is an error, and the entry stays") { store in
            let record = try await insert(store)
            try await delete([record.id], store)
            let entry = try #require(try await entries(store).first)
            for other in [try Samples.record(id: record.id), try Samples.record(key: record.key)] {
                try await FileRecords(store).insert([other])
                let error = await #expect(throws: ServiceError.self) {
                    try await store.write { try $0.restore(entry, at: .now()) }
                }
                #expect(error?.code == .duplicateValue)
                try await store.write { _ = try $0.delete(other.id, in: .file) }
            }
            #expect(try await entries(store).count == 1)
        },
        ContractRule("an entry is found by its own id, and by that of its file, the newest first") { store in
            let record = try await insert(store)
            try await delete([record.id], store)
            try await FileRecords(store).insert([record])
            try await delete([record.id], store)
            let all = try await entries(store)
            #expect(try await store.read { try $0.trashEntry(record.id) } == all[1])
            #expect(try await store.read { try $0.trashEntry(all[0].id) } == all[0])
            #expect(try await store.read { try $0.trashEntry(ObjectIDGenerator().next()) } == nil)
        },
    ]

    private static let relations: [ContractRule<any ObjectStore>] = [
        ContractRule("members of relations to a class are found, whichever object and field has them") { store in
            let name = try ClassName("Album")
            var schema = ClassSchema(name: name)
            schema.fields = [
                "files": FieldDefinition(.relation(.file)), "more": FieldDefinition(.relation(.file)),
                "users": FieldDefinition(.relation(.user)),
            ]
            let ids = ObjectIDGenerator()
            let (owner, members) = (Pointer(name, ids.next()), (0..<4).map { _ in ids.next() })
            try await store.write { [schema] writer in
                try writer.save(schema)
                try writer.relate(owner, "files", to: [members[0]])
                try writer.relate(owner, "more", to: [members[0], members[1]])
                try writer.relate(owner, "users", to: [members[2]])
            }
            let found = try await store.read { try $0.membersOfRelations(among: Set(members), in: .file) }
            #expect(found == Set(members[..<2]))
            #expect(try await store.read { try $0.membersOfRelations(among: [], in: .file) }.isEmpty)
        }
    ]

    private static func entries(_ store: any ObjectStore) async throws -> [TrashEntry] {
        try await store.read { try $0.find(ObjectQuery(.trash, page: .all)).map(TrashEntry.init(stored:)) }
    }

    private static func insert(_ store: any ObjectStore, verdict: Verdict? = nil) async throws -> FileRecord {
        let record = try Samples.record(verdict: verdict)
        try await FileRecords(store).insert([record])
        return record
    }

    private static func delete(_ ids: [ObjectID], _ store: any ObjectStore) async throws {
        _ = try await service(store).perform(ObjectCommand(.file, .delete(ids, where: nil)), as: master())
    }

    private static func service(_ store: any ObjectStore) -> ObjectService {
        ObjectService(
            store: store,
            settings: ObjectSettings(
                files: FilePresentation(publicURL: "https://f", bucket: "b"),
                accountDependencies: AccountDependencies(changes: store.changes, hasher: PlainHasher()),
                trash: TrashSettings(keep: 60)
            )
        )
    }

    private static func master() throws -> Caller {
        Caller(app: try Samples.guest().app, isMaster: true)
    }
}

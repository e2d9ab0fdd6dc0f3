import Domain
import Support
import Testing

@Suite struct MemoryStoreTests {
    @Test(
        "objects in memory keep the contract",
        arguments: ObjectStoreContract.rules + TransactionContract.rules + ReadersContract.rules
            + ChangesContract.rules
    )
    func objects(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("file records in memory keep the contract", arguments: FileRecordsContract.rules)
    func files(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("the deletion queue in memory keeps the contract", arguments: DeletionQueueContract.rules)
    func deletions(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("the trash in memory keeps the contract", arguments: TrashContract.rules)
    func trash(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("the mail queue in memory keeps the contract", arguments: MailQueueContract.rules)
    func mails(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test(
        "devices, relations and feeds in memory keep the contract",
        arguments: InstallationContract.rules + FriendshipContract.rules + FeedContract.rules
    )
    func people(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("codes and the SMS queue in memory keep the contract", arguments: SMSContract.rules)
    func sms(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("rules that count and then insert hold in memory", arguments: ConcurrencyContract.rules)
    func concurrency(rule: ContractRule<any ObjectStore>) async throws {
        try await rule.check(MemoryObjectStore())
    }

    @Test("conditions in memory match by the table of cases", arguments: QueryCase.all)
    func queries(table: QueryCase) async throws {
        try await table.check(MemoryObjectStore())
    }

    @Test("staged bytes in memory keep the contract", arguments: StagingAreaContract.rules)
    func staging(rule: ContractRule<any StagingArea>) async throws {
        try await rule.check(MemoryStagingArea())
    }

    @Test("blobs in memory keep the contract", arguments: BlobStoreContract.rules, [true, false])
    func blobs(rule: ContractRule<BlobStorage>, isLocal: Bool) async throws {
        try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: MemoryBlobStore(isLocal: isLocal)))
    }

    @Test(
        "blobs in memory keep the contract of several servers",
        arguments: BlobStoreContract.rules + BlobStoreContract.sharedRules
    )
    func sharedBlobs(rule: ContractRule<BlobStorage>) async throws {
        try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: MemoryBlobStore(isShared: true)))
    }
}

/// What makes the store in memory a test of those who use it.
@Suite struct MemoryObjectStoreTests {
    private let store = MemoryObjectStore(rehearsing: false)
    private let task: ClassName
    private let other: ClassName

    init() throws {
        task = try ClassName("Task")
        other = try ClassName("Other")
    }

    private func makeClasses() async throws {
        try await store.write { [task, other] writer in
            for name in [task, other] { try writer.save(ClassSchema(name: name)) }
        }
    }

    private func object(_ id: String) throws -> StoredObject {
        let now = Timestamp(milliseconds: 0)
        return StoredObject(id: try #require(ObjectID(id)), createdAt: now, updatedAt: now, fields: [:])
    }

    @Test(
        "a body runs again if another commit changed what it has read, and only then",
        arguments: [("Task", 2), ("Other", 1)]
    )
    func conflicts(changed: String, runs expected: Int) async throws {
        try await makeClasses()
        let (own, foreign) = (try object("own"), try object("foreign"))
        let changed = try ClassName(changed)
        store.beforeNextCommit { [store] in try await store.write { try $0.insert(foreign, into: changed) } }
        let log = ChangeLog(of: store)
        let runs = Counter()
        let counted = try await store.write { [task] writer in
            _ = runs.next()
            let count = try writer.count(.always, in: task)
            try writer.insert(own, into: task)
            return count
        }
        #expect(runs.value == expected)
        #expect(counted == expected - 1)
        #expect(log.lines == ["created foreign", "created own"])
    }

    @Test("a body that loses each time runs alone in the end")
    func progress() async throws {
        try await makeClasses()
        let (runs, ids) = (Counter(), Counter())
        // Each run of the body has the next commit preceded by another one.
        try await store.write { [store, task] writer in
            store.beforeNextCommit {
                let id = ObjectID("other\(ids.next())")
                let object = StoredObject(
                    id: try #require(id),
                    createdAt: Timestamp(milliseconds: 0),
                    updatedAt: Timestamp(milliseconds: 0),
                    fields: [:]
                )
                try await store.write { try $0.insert(object, into: task) }
            }
            _ = runs.next()
            _ = try writer.count(.always, in: task)
        }
        #expect(runs.value == 5)
    }

    @Test("a transaction ends with an error that its body catches, unless an attempt holds it")
    func goingOn() async throws {
        try await makeClasses()
        let object = try object("a")
        await #expect(throws: (any Error).self) {
            try await store.write { [task] writer in
                try writer.insert(object, into: task)
                try? writer.insert(object, into: task)
                _ = try writer.count(.always, in: task)
            }
        }
        let count = try await store.write { [task] writer in
            try writer.insert(object, into: task)
            try? writer.attempt { try writer.insert(object, into: task) }
            return try writer.count(.always, in: task)
        }
        #expect(count == 1)
    }

    @Test("a body runs twice in vain: to its end, and until a call throws; nothing of that is stored or published")
    func rehearsals() async throws {
        let store = MemoryObjectStore()
        let log = ChangeLog(of: store)
        let (begun, ended) = (Counter(), Counter())
        let object = try object("a")
        try await store.write { writer in
            _ = begun.next()
            try writer.insert(object, into: .session)
            _ = ended.next()
        }
        #expect(begun.value == 3)
        #expect(ended.value == 2)
        #expect(log.lines == ["created a"])
    }
}

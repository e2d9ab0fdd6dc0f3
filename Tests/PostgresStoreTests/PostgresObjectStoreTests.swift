import Domain
import Support
import Testing

@testable import PostgresStore

@Suite struct PostgresObjectStoreTests {
    @Test(
        "objects in PostgreSQL keep the contract",
        arguments: ObjectStoreContract.rules + TransactionContract.rules + ReadersContract.rules
            + ChangesContract.rules
    )
    func contract(rule: ContractRule<any ObjectStore>) async throws {
        try await Engine.withStore { try await rule.check($0) }
    }

    @Test(
        "objects in PostgreSQL keep the contract if bodies run again",
        arguments: ObjectStoreContract.rules + TransactionContract.rules + ChangesContract.rules
            + FileRecordsContract.rules + DeletionQueueContract.rules + TrashContract.rules
    )
    func repeated(rule: ContractRule<any ObjectStore>) async throws {
        // Those of the other contracts run again in memory only.
        try await Engine.withStore { try await rule.check(RepeatingStore($0)) }
    }

    @Test(
        "rules that count and then insert hold in PostgreSQL",
        arguments: ConcurrencyContract.rules,
        [false, true]
    )
    func concurrency(rule: ContractRule<any ObjectStore>, repeats: Bool) async throws {
        try await Engine.withStore { try await rule.check(repeats ? RepeatingStore($0) : $0) }
    }

    @Test("conditions match in PostgreSQL by the table of cases", arguments: QueryCase.all)
    func queries(table: QueryCase) async throws {
        try await Engine.withStore { try await table.check($0) }
    }

    @Test("each statement of CQL that finds objects finds in PostgreSQL what its equal query of REST finds")
    func statements() async throws {
        try await Engine.withStore { try await CQLCase.checkSearches($0) }
    }

    @Test(
        "file records, the deletion queue and the trash in PostgreSQL keep the contract",
        arguments: FileRecordsContract.rules + DeletionQueueContract.rules + TrashContract.rules
    )
    func files(rule: ContractRule<any ObjectStore>) async throws {
        try await Engine.withStore { try await rule.check($0) }
    }

    @Test(
        "mails and SMS in PostgreSQL keep the contract",
        arguments: MailQueueContract.rules + SMSContract.rules
    )
    func messages(rule: ContractRule<any ObjectStore>) async throws {
        try await Engine.withStore { try await rule.check($0) }
    }

    @Test(
        "devices, relations and feeds in PostgreSQL keep the contract",
        arguments: InstallationContract.rules + FriendshipContract.rules + FeedContract.rules
    )
    func people(rule: ContractRule<any ObjectStore>) async throws {
        try await Engine.withStore { try await rule.check($0) }
    }

    @Test("a new database has the built-in classes of this version")
    func builtIn() async throws {
        try await Engine.withAddress { address in
            let store = try PostgresObjectStore(address, readers: 2, lookups: 2)
            try await store.prepare()
            let known = try await store.read { try $0.schemas() }
            try await store.close()
            #expect(known == ClassSchema.builtIn.sorted { $0.name < $1.name })
        }
    }
}

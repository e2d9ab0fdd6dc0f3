import Domain
import Support
import Testing

@Suite struct SharedLimitTests {
    private let objects: ObjectFixture
    private let user: Caller

    init() throws {
        objects = try ObjectFixture()
        let ids = ObjectIDGenerator()
        user = objects.client.logged(
            in: Caller.User(id: ids.next(), session: ids.next(), epoch: objects.accountDependencies.sessionCache.epoch)
        )
    }

    @Test("guests, users and the master key make new classes up to a share of their own")
    func classes() async throws {
        let limits = ObjectLimits(classes: 10, guestShare: 20, userShare: 50)
        var made = 0
        for (caller, bound) in [(objects.client, 2), (user, 5), (objects.master, 10)] {
            while made < bound {
                made += 1
                try await objects.create("{}", in: try ClassName("Class\(made)"), limits: limits, as: caller)
            }
            let error = await #expect(throws: ServiceError.self) {
                try await objects.create("{}", in: try ClassName("OneMore"), limits: limits, as: caller)
            }
            #expect(error?.message.contains("the limit is \(bound) (objects.maxClasses") == true)
        }
        // Classes that are there take objects from everyone.
        try await objects.create("{}", in: try ClassName("Class10"), limits: limits, as: objects.client)
    }

    @Test("guests, users and the master key make new fields up to a share of their own")
    func fields() async throws {
        let limits = ObjectLimits(columns: 10, guestShare: 20, userShare: 50)
        var made = 0
        for (caller, bound) in [(objects.client, 2), (user, 5), (objects.master, 10)] {
            while made < bound {
                made += 1
                try await objects.create(#"{"f\#(made)":1}"#, limits: limits, as: caller)
            }
            let error = await #expect(throws: ServiceError.self) {
                try await objects.create(#"{"more":1}"#, limits: limits, as: caller)
            }
            #expect(error?.message.contains("the limit is \(bound) (objects.maxColumns") == true)
        }
    }
}

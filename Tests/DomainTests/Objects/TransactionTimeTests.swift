import Dispatch
import Support
import Testing

@testable import Domain

@Suite struct TransactionTimeTests {
    private static let limit = Duration.milliseconds(20)

    private static func compute() {
        let start = Duration.threadTime
        while Duration.threadTime - start <= limit {}
    }

    @Test("what another thread computes while this one waits does not count, as the work of a distant database")
    func waits() throws {
        let time = TransactionTime(Self.limit, of: "batch/save", objects: 2)
        let group = DispatchGroup()
        DispatchQueue.global().async(group: group) { Self.compute() }
        group.wait()
        try time.acceptObject()
    }

    @Test("after the limit no further object is accepted; a request with one object has no limit")
    func ends() throws {
        let several = TransactionTime(Self.limit, of: "batch/save", objects: 2)
        let single = TransactionTime(Self.limit, of: "batch/save", objects: 1)
        try several.acceptObject()
        Self.compute()
        let error = #expect(throws: ServiceError.self) { try several.acceptObject() }
        #expect(error?.code == .timedOut)
        try single.acceptObject()
    }

    @Test(
        "what belongs to deleted objects counts towards the time of their deletion",
        arguments: [ClassName.followee, .follower]
    )
    func links(name: ClassName) async throws {
        let app = try await PeopleApp(MemoryObjectStore())
        let (ann, bob) = (try await app.user("ann"), try await app.user("bob"))
        try await app.follow(bob, by: ann)
        try await app.follow(ann, by: bob)
        let other = name == .follower ? ClassName.followee : .follower
        let objects = try await app.rows(of: name)
        func remove(_ objects: [StoredObject]) async throws {
            try await app.store.write { writer in
                try writer.removeLinks(
                    of: objects,
                    in: name,
                    ids: ObjectIDGenerator(),
                    at: .now(),
                    within: TransactionTime(.zero, of: "The deletion", objects: objects.count)
                )
            }
        }
        await expectFailure(.timedOut) { try await remove(objects) }
        #expect(try await app.count(of: other) == 2)
        try await remove(Array(objects.prefix(1)))
        #expect(try await app.count(of: other) == 1)
    }
}

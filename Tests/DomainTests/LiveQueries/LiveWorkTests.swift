import Support
import Testing

@testable import Domain

/// Which conditions a change evaluates, and what the events of a change take.
@Suite struct LiveWorkTests {
    private let fixture: LiveFixture

    init() throws {
        fixture = try LiveFixture()
    }

    private func nodes() -> [LiveNode] {
        fixture.live.registry.withState { $0.subscriptions.values.map(\.node) }
    }

    @Test("conditions of installations without a connection are not evaluated")
    func noConnection() async throws {
        try await fixture.running {
            for number in 0..<3 { try await fixture.subscribe(#"{"n":{"$gt":\#(number)}}"#, id: "absent") }
            let client = try await fixture.client(#"{"a":1}"#)
            try await fixture.create(#"{"a":1,"n":5}"#)
            await fixture.live.settle()
            #expect(client.events.map(\.kind) == [.create])
            #expect(nodes().filter { $0.lastTime > 0 }.count == 1)
            _ = try fixture.connect("absent")
            try await fixture.create(#"{"n":5}"#)
            await fixture.live.settle()
            #expect(nodes().filter { $0.lastTime > 0 }.count == 4)
        }
    }

    @Test("an evaluation takes the time of 16 clients at most, and all subscriptions get the event")
    func manyClients() async throws {
        try await fixture.running {
            var clients: [LiveClient] = []
            for _ in 0..<20 { clients.append(try await fixture.client(#"{"a":1}"#)) }
            let registry = fixture.live.registry
            let node = try #require(nodes().first)
            #expect(registry.clients(of: node, at: registry.changesPosition).count == 16)
            #expect(registry.clients(of: node, at: -1).isEmpty)
            try await fixture.create(#"{"a":1}"#)
            await fixture.live.settle()
            #expect(clients.allSatisfy { $0.events.count == 1 })
        }
    }

    @Test("a client gets its events although another one has the same condition very often, and has taken its time")
    func copiedCondition() async throws {
        // Several conditions: the order of subscriptions in memory differs from one to the other.
        let conditions = (0..<6).map { #"{"a":1,"n":{"$gt":\#($0)}}"# }
        try await fixture.running {
            for (number, condition) in conditions.enumerated() {
                for copy in 0..<150 { try await fixture.subscribe(condition, id: "near\(copy)") }
                try await fixture.subscribe(condition, id: "far\(number)")
            }
            for copy in 0..<150 { _ = try attach("near\(copy)", at: "10.0.0.1") }
            let others = try conditions.indices.map { try attach("far\($0)", at: "10.0.0.2") }
            fixture.live.registry.allowances.take([.address("10.0.0.1"): .seconds(60)])
            try await fixture.create(#"{"a":1,"n":9}"#)
            await fixture.live.settle()
            #expect(others.map { $0.events.count } == others.map { _ in 1 })
            #expect(others.allSatisfy { $0.departures == 0 })
        }
    }

    @Test("when the first connection of an installation ends, the client of the next one is charged")
    func nextConnection() async throws {
        try await fixture.subscribe(#"{"a":1}"#)
        let registry = fixture.live.registry
        let node = try #require(nodes().first)
        let first = try attach("page", at: "10.0.0.1")
        _ = try attach("page", at: "10.0.0.2")
        #expect(registry.clients(of: node, at: registry.changesPosition) == [.address("10.0.0.1")])
        fixture.live.detach(first, from: try #require(InstallationID("page")))
        #expect(registry.clients(of: node, at: registry.changesPosition) == [.address("10.0.0.2")])
    }

    private func attach(_ id: String, at address: String) throws -> LiveClient {
        let client = LiveClient(at: address)
        _ = try fixture.live.attach(client, as: try #require(InstallationID(id)))
        return client
    }

    @Test("a client whose conditions have taken their time is sent away for slow ones, and can come back")
    func spentTime() async throws {
        try await fixture.running {
            try await fixture.subscribe(LiveFixture.endless)
            let slow = try fixture.connect()
            let other = try await fixture.client(#"{"a":1}"#)
            let page = try #require(InstallationID("page"))
            fixture.live.registry.allowances.take([.installation(page): .seconds(60)])
            try await fixture.create(#"{"a":1,"s":"\#(LiveFixture.subject)"}"#)
            await fixture.live.settle()
            #expect(other.events.map(\.kind) == [.create])
            #expect(slow.departures == 1)
            #expect(fixture.live.status.subscriptions == 2)
            try await fixture.subscribe(LiveFixture.endless)
        }
    }

    @Test("a client whose conditions have taken far more than their time is sent away for quick ones, too")
    func manyQuickConditions() async throws {
        try await fixture.running {
            let other = try await fixture.client(#"{"a":1}"#)
            try await fixture.subscribe(#"{"n":{"$gt":1}}"#)
            let quick = try fixture.connect()
            let page = try #require(InstallationID("page"))
            try await fixture.create(#"{"a":1,"n":5}"#)
            await fixture.live.settle()
            #expect(quick.events.map(\.kind) == [.create])
            #expect(quick.departures == 0)
            // On a machine that stands still for a second, the client has time again.
            var changes = 1
            while quick.departures == 0, changes < 20 {
                fixture.live.registry.allowances.take([.installation(page): .seconds(60)])
                try await fixture.create(#"{"a":1,"n":5}"#)
                await fixture.live.settle()
                changes += 1
            }
            #expect(quick.departures == 1)
            #expect(quick.events.count == changes - 1)
            #expect(other.events.count == changes)
        }
    }

    @Test("a transaction whose time was over when its work began evaluates one node")
    func lateTransaction() async throws {
        for number in 0..<3 { _ = try await fixture.client(#"{"n":{"$gt":\#(number)}}"#) }
        let (task, id) = (fixture.task, try await fixture.create(#"{"n":-1}"#))
        let registry = fixture.live.registry
        let settings = fixture.users.objects.settings
        let rest = try await fixture.store.read { reader in
            let object = try #require(try reader.object(id, in: task))
            let change = Change(.created, id, in: task, after: ObjectState(object))
            let found = try #require(try registry.finding(LiveChange(change, at: registry.changesPosition)))
            var (work, sizes) = (LiveWork([found]), [found.nodes.count])
            while work.change != nil, sizes.count < 10 {
                let began = ContinuousClock.now - .seconds(60)
                var decider = LiveDecider(reader, registry, settings, foundAt: 0, beginningAt: began)
                let decision = try decider.decide(work)
                sizes.append(decision.evaluations.count)
                work = decision.rest
            }
            return sizes
        }
        #expect(rest == [3, 1, 1, 1])
    }

    @Test("large events of one change are made in several transactions, and each subscriber gets one")
    func largeEvents() async throws {
        try await fixture.running {
            let now = Timestamp(milliseconds: 0)
            let text = String(repeating: "x", count: 3 << 20)
            let task = fixture.task
            try await fixture.change { $0.fields["s"] = FieldDefinition(.string) }
            let clients = [
                try await fixture.client(), try await fixture.client(returnsACL: true),
                try await fixture.client(as: fixture.master), try await fixture.client(),
            ]
            let reads = fixture.users.store.readCount
            let object = StoredObject(
                id: try #require(ObjectID("x")),
                createdAt: now,
                updatedAt: now,
                fields: ["s": .string(text)]
            )
            try await fixture.store.write { try $0.insert(object, into: task) }
            await fixture.live.settle()
            #expect(clients.map(\.events.count) == [1, 1, 1, 1])
            #expect(fixture.users.store.readCount - reads >= 2)
        }
    }

    /// Where the bytes of the only event of a client are.
    private func storage(_ client: LiveClient) throws -> UnsafePointer<UInt8>? {
        try #require(client.events.last).object.withUnsafeBufferPointer(\.baseAddress)
    }

    @Test("an object is encoded once for all who see the same files", arguments: ["", "public", "private"])
    func sharedViews(file: String) async throws {
        try await fixture.running {
            let (ann, bob) = (try await fixture.user("ann"), try await fixture.user("bob"))
            let reader = file == "private" ? try #require(ann.user).id.description : "*"
            let id = try await fixture.create(
                #"{"name":"f","url":"https://x.example.com/f","ACL":{"\#(reader)":{"read":true}}}"#,
                in: .file
            )
            let pointer = #""f":{"__type":"File","id":"\#(id)"}"#
            // The class has a field for files in any case.
            try await fixture.create("{\(pointer)}")
            var clients: [LiveClient] = []
            for caller in [ann, bob, fixture.guest] { clients.append(try await fixture.client(as: caller)) }
            try await fixture.create(file.isEmpty ? #"{"a":1}"# : "{\(pointer)}")
            await fixture.live.settle()
            let places = try clients.map(storage)
            #expect((places[0] == places[1]) == (file != "private"))
            #expect(places[1] == places[2])
            let shows = clients.map { $0.lines.last?.contains("https://x.example.com/f") == true }
            #expect(shows == [!file.isEmpty, file == "public", file == "public"])
        }
    }
}

/// The time that the conditions of each client can take.
@Suite struct LiveAllowanceTests {
    private let clock = LiveFixture.Clock()

    @Test("time that was taken comes back at half the speed, and all of it within three seconds")
    func recovery() {
        let allowances = LiveAllowances { [clock] in clock.now }
        let key = LiveAllowances.Key.address("10.0.0.1")
        let other = LiveAllowances.Key.address("10.0.0.2")
        #expect(allowances.remaining(of: [key]) == .milliseconds(500))
        allowances.take([key: .milliseconds(200)])
        #expect(allowances.remaining(of: [key]) == .milliseconds(300))
        allowances.take([key: .milliseconds(400)])
        #expect(allowances.remaining(of: [key]) == .milliseconds(-100))
        #expect(allowances.remaining(of: [other]) == .milliseconds(500))
        #expect(allowances.remaining(of: [key, other]) == .milliseconds(500))
        #expect(allowances.remaining(of: [key, other], after: [other: .milliseconds(700)]) == .milliseconds(-100))
        clock.pass(1)
        #expect(allowances.remaining(of: [key]) == .milliseconds(400))
        allowances.take([key: .seconds(60)])
        #expect(allowances.remaining(of: [key]) == .seconds(-1))
        clock.pass(3)
        #expect(allowances.remaining(of: [key]) == .milliseconds(500))
    }
}

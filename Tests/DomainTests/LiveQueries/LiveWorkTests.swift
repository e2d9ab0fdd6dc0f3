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

    @Test("a client whose conditions have taken their time comes back for slow ones, which are not refused")
    func spentTime() async throws {
        try await fixture.running {
            try await fixture.subscribe(LiveFixture.endless)
            let slow = try fixture.connect()
            let other = try await fixture.client(#"{"a":1}"#)
            let page = try #require(InstallationID("page"))
            fixture.live.registry.allowances.take(.seconds(60), of: .installation(page))
            try await fixture.create(#"{"a":1,"s":"\#(LiveFixture.subject)"}"#)
            await fixture.live.settle()
            #expect(other.events.map(\.kind) == [.create])
            #expect(slow.departures == 1)
            #expect(fixture.live.status.subscriptions == 2)
            try await fixture.subscribe(LiveFixture.endless)
        }
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
        #expect(allowances.remaining(of: key) == .milliseconds(500))
        allowances.take(.milliseconds(200), of: key)
        #expect(allowances.remaining(of: key) == .milliseconds(300))
        allowances.take(.milliseconds(400), of: key)
        #expect(allowances.remaining(of: key) == .milliseconds(-100))
        #expect(allowances.remaining(of: .address("10.0.0.2")) == .milliseconds(500))
        clock.pass(1)
        #expect(allowances.remaining(of: key) == .milliseconds(400))
        allowances.take(.seconds(60), of: key)
        #expect(allowances.remaining(of: key) == .seconds(-1))
        clock.pass(3)
        #expect(allowances.remaining(of: key) == .milliseconds(500))
    }
}

import Support
import Testing

@testable import Domain

@Suite("Settings of censorship")
struct CensorSettingsTests {
    @Test(
        "A wrong setting is refused by its name, and changes nothing",
        arguments: [
            ("auto", JSONValue.string("yes")), ("hold", .integer(1)), ("passBelow", .number(1.1)),
            ("passBelow", .number(0.9)), ("rejectAbove", .number(-0.1)), ("rejectAbove", .string("0.5")),
            ("hashDistance", .integer(65)), ("hashDistance", .number(1.5)), ("cacheSeconds", .integer(-1)),
            ("blockedImage", .string("no/id")), ("blockedImage", .string("6b017ba12dd266ba0b930c5d")),
            ("showToOwner", .null), ("unknown", .bool(true)),
        ]
    )
    func refused(_ name: String, _ value: JSONValue) async throws {
        let fixture = try await CensorFixture()
        let other: [String: JSONValue] = ["hold": .bool(true)]
        let members = other.merging([name: value]) { $1 }
        let error = await #expect(throws: ServiceError.self) { try await fixture.set(members) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.contains(name) == true)
        #expect(fixture.policy.settings == CensorSettings())
    }

    @Test("A change is in force when it is answered, survives a restart, and is logged with what it was before")
    func changes() async throws {
        let fixture = try await CensorFixture()
        try await fixture.set(["hold": .bool(true), "passBelow": .number(0.5)])
        #expect(fixture.policy.settings.holds)
        let restarted = CensorPolicy()
        try await restarted.follow(fixture.store)
        #expect(restarted.settings == fixture.policy.settings)
        let log = try await fixture.service.log(limit: 10, cursor: nil, as: fixture.master).results
        #expect(log.count == 1)
        #expect(log[0]["before"] == .object(["hold": .bool(false), "passBelow": .number(0.2)]))
        #expect(log[0]["after"] == .object(["hold": .bool(true), "passBelow": .number(0.5)]))
        try await fixture.set(["hold": .bool(true)])
        let again = try await fixture.service.log(limit: 10, cursor: nil, as: fixture.master)
        #expect(again.results.count == 1)
    }

    @Test(
        "What is served: rejected files never, others while nothing is held",
        arguments: [
            (nil, false, true), (nil, true, true), (Verdict.passed, false, true), (.passed, true, true),
            (.pending, false, true), (.pending, true, false), (.review, false, true), (.review, true, false),
            (.rejected, false, false), (.rejected, true, false),
        ]
    )
    func policy(_ verdict: Verdict?, _ holds: Bool, _ isOpen: Bool) {
        var settings = CensorSettings()
        settings.holds = holds
        let policy = CensorPolicy(settings)
        var code: ServiceError.Code?
        do {
            try policy.requireOpen(verdict)
        } catch {
            code = (error as? ServiceError)?.code
        }
        #expect(code == (isOpen ? nil : .blocked))
    }

    @Test(
        "Which files are checked",
        arguments: [
            (["mime_type": "image/png"], true), (["mime_type": "text/plain"], false),
            (["mime_type": "text/plain", "_detected": "image/jpeg"], true), ([:], false),
            (["key": "a.jpg", "mime_type": "text/plain"], false), (["name": "a.jpg"], false),
            (["url": "https://a.example.com/b.JPG?x=1"], true), (["url": "https://a.example.com/b"], true),
            (["url": "https://a.example.com/b.jpg", "mime_type": "video/mp4"], true),
            (["url": "https://a.example.com/b.txt", "mime_type": "application/octet-stream"], true),
        ]
    )
    func images(_ fields: [String: String], _ isChecked: Bool) {
        let record = StoredObject(
            id: ObjectIDGenerator().next(),
            createdAt: .now(),
            updatedAt: .now(),
            fields: fields.mapValues(JSONValue.string)
        )
        #expect(CheckedFile.canBeImage(record) == isChecked)
    }
}

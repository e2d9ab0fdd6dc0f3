import Support
import Testing

@testable import Domain

/// Updates with which the master key repeats the import of a user: they end only what the other server has replaced.
@Suite struct RepeatedImportTests {
    private let fixture: SessionFixture
    private let id: ObjectID
    private static let login = #"{"username":"ann","password":"p4ss"}"#

    init() throws {
        fixture = try SessionFixture()
        id = try #require(ObjectID("u1"))
    }

    private static func token(_ character: Character) -> String { String(repeating: character, count: 25) }

    private static func hash(_ character: Character) -> String { String(repeating: character, count: 86) + "==" }

    /// A body with the credentials of an export, each made of one character; `nil` if the export lacks them.
    private static func body(_ hash: Character?, _ token: Character?, _ day: String, _ rest: String = "") -> String {
        var members = [#""updatedAt":"\#(day)T00:00:00.000Z""#]
        if let hash { members.append(#""salt":"s4lt","password":"\#(Self.hash(hash))""#) }
        if let token { members.append(#""sessionToken":"\#(Self.token(token))""#) }
        return "{\(members.joined(separator: ","))\(rest)}"
    }

    private func importUser(_ hash: Character?, _ token: Character?) async throws {
        let rest = #","objectId":"u1","username":"ann","createdAt":"2024-01-01T00:00:00.000Z""#
        try await fixture.create(Self.body(hash, token, "2024-01-01", rest), in: .user, as: fixture.master)
    }

    private func importAgain(_ hash: Character?, _ token: Character?, at day: String = "2024-05-01") async throws {
        try await fixture.update(id, Self.body(hash, token, day), in: .user, as: fixture.master)
    }

    /// Stores the hash that a log-in or a change of the password here puts in the place of the imported one.
    private func replaceHash(by text: String = "plain p4ss", at time: Timestamp? = nil) async throws {
        try await fixture.store.write { [id] writer in
            var user = try #require(try writer.object(id, in: .user))
            user.fields[PasswordHash.field] = .string(text)
            user.updatedAt = time ?? user.updatedAt
            try writer.update(user, in: .user)
        }
    }

    private func logIn() async throws -> String {
        try #require(try await fixture.logIn(Self.login)["sessionToken"]?.stringValue)
    }

    private func isLive(_ token: String) async throws -> Bool { try await fixture.caller(token).user?.id == id }

    private func storedHash() async throws -> String? {
        try await fixture.store.read { [id] in try $0.object(id, in: .user)?.fields[PasswordHash.field]?.stringValue }
    }

    @Test("the hash of the last import changes nothing after a log-in here", arguments: ["d", nil] as [Character?])
    func sameHash(token: Character?) async throws {
        try await importUser("a", "d")
        try await replaceHash()
        let own = try await logIn()
        try await importAgain("a", token)
        #expect(try await isLive(own))
        #expect(try await isLive(Self.token("d")))
        #expect(try await storedHash() == "plain p4ss")
    }

    @Test("another hash replaces the password, also one that was set here, and ends the sessions")
    func otherHash() async throws {
        try await importUser("a", "d")
        try await replaceHash()
        let own = try await logIn()
        try await importAgain("b", nil)
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("b"))")
        #expect(try await !isLive(own))
        #expect(try await !isLive(Self.token("d")))
    }

    @Test("another hash with the same token keeps its session")
    func otherHashAndSameToken() async throws {
        try await importUser("a", "d")
        try await replaceHash()
        let own = try await logIn()
        try await importAgain("b", "d")
        #expect(try await !isLive(own))
        #expect(try await isLive(Self.token("d")))
    }

    @Test("the first hash of a user ends no session, also if it is older than the last change")
    func firstHash() async throws {
        try await importUser(nil, "d")
        try await importAgain("a", nil, at: "2023-01-01")
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("a"))")
        #expect(try await isLive(Self.token("d")))
    }

    @Test("the first hash is older than a password that was set here: that one stays, until there is another hash")
    func passwordSetHere() async throws {
        try await importUser(nil, nil)
        try await replaceHash(at: Timestamp.now())
        let own = try await logIn()
        try await importAgain("a", nil)
        try await importAgain("a", nil)
        #expect(try await storedHash() == "plain p4ss")
        #expect(try await isLive(own))
        try await importAgain("b", nil)
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("b"))")
        #expect(try await !isLive(own))
    }

    @Test(
        "an import without hashes gives its time: a later first hash replaces a password that was set here",
        arguments: [("2024-05-01", true), ("2024-05-02", false)]
    )
    func passwordSetHereBeforeImportWithoutHash(day: String, stays: Bool) async throws {
        try await importUser(nil, nil)
        try await replaceHash(at: Timestamp.now())
        let own = try await logIn()
        let withoutHash = Self.body(nil, nil, "2024-05-01", #","score":1"#)
        try await fixture.update(id, withoutHash, in: .user, as: fixture.master)
        try await importAgain("a", nil, at: day)
        #expect(try await storedHash() == (stays ? "plain p4ss" : "$leancloud$s4lt$\(Self.hash("a"))"))
        #expect(try await isLive(own) == stays)
    }

    @Test("a plain password replaces an imported one at any time, and is no hash of an import")
    func plainPassword() async throws {
        try await importUser("a", "d")
        let body = #"{"password":"n3w","updatedAt":"2023-01-01T00:00:00.000Z"}"#
        try await fixture.update(id, body, in: .user, as: fixture.master)
        #expect(try await storedHash() == "plain n3w")
        #expect(try await !isLive(Self.token("d")))
        try await importAgain("a", nil)
        #expect(try await storedHash() == "plain n3w")
        try await importAgain("b", nil)
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("b"))")
    }

    @Test("a plain password replaces one that was set here later")
    func plainPasswordOfEarlierTime() async throws {
        try await importUser(nil, nil)
        try await replaceHash(at: Timestamp.now())
        let own = try await logIn()
        let body = #"{"password":"n3w","updatedAt":"2023-01-01T00:00:00.000Z"}"#
        try await fixture.update(id, body, in: .user, as: fixture.master)
        #expect(try await storedHash() == "plain n3w")
        #expect(try await !isLive(own))
    }

    @Test("another token takes the place of the last imported one, and other sessions stay")
    func otherToken() async throws {
        try await importUser("a", "d")
        try await replaceHash()
        let own = try await logIn()
        try await importAgain("a", "e")
        #expect(try await !isLive(Self.token("d")))
        #expect(try await isLive(Self.token("e")))
        #expect(try await isLive(own))
    }

    @Test("the token of the last import begins no session again after its session ended here")
    func endedToken() async throws {
        try await importUser("a", "d")
        _ = try await fixture.accounts.endSessions(of: id, as: fixture.master)
        try await importAgain("a", "d")
        #expect(try await !isLive(Self.token("d")))
    }

    @Test("a first token begins a session")
    func firstToken() async throws {
        try await importUser("a", nil)
        try await importAgain("a", "d")
        #expect(try await isLive(Self.token("d")))
    }

    @Test("names and passwords without a value are missing ones, as in the import", arguments: ["null", "\"\""])
    func withoutValues(value: String) async throws {
        try await importUser("a", "d")
        let names = ["username", "email", "mobilePhoneNumber", "password", "salt", "bcryptPassword"]
        let rest = names.map { #","\#($0)":\#(value)"# }.joined()
        let body = Self.body(nil, nil, "2024-05-01", rest)
        try await fixture.update(id, body, in: .user, as: fixture.master)
        let fields = try await fixture.store.read { [id] in try $0.object(id, in: .user)?.fields } ?? [:]
        #expect(fields["username"] == "ann")
        #expect(fields["email"] == nil && fields["mobilePhoneNumber"] == nil)
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("a"))")
        #expect(try await isLive(Self.token("d")))
    }

    @Test("an import deletes a name by an operation, and cannot delete a password")
    func deletions() async throws {
        try await importUser("a", nil)
        let address = Self.body(nil, nil, "2024-05-01", #","email":"ann@example.com""#)
        try await fixture.update(id, address, in: .user, as: fixture.master)
        let name = Self.body(nil, nil, "2024-05-02", #","email":{"__op":"Delete"}"#)
        try await fixture.update(id, name, in: .user, as: fixture.master)
        let email = try await fixture.store.read { [id] in try $0.object(id, in: .user)?.fields["email"] }
        #expect(email == nil)
        let password = Self.body(nil, nil, "2024-05-03", #","password":{"__op":"Delete"}"#)
        let error = await #expect(throws: ServiceError.self) {
            try await fixture.update(id, password, in: .user, as: fixture.master)
        }
        #expect(error?.code == .invalidKey)
        #expect(try await storedHash() == "$leancloud$s4lt$\(Self.hash("a"))")
    }

    @Test("an update without a time is no import: its hash ends the sessions")
    func ordinaryUpdate() async throws {
        try await importUser("a", "d")
        let body = #"{"salt":"s4lt","password":"\#(Self.hash("a"))"}"#
        try await fixture.update(id, body, in: .user, as: fixture.master)
        #expect(try await !isLive(Self.token("d")))
    }
}

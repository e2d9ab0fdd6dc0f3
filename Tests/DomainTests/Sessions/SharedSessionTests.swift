import Support
import Testing

@testable import Domain

/// The session that all log-ins of a user share (docs/accounts.md, Sessions).
@Suite struct SharedSessionTests {
    private let fixture: SessionFixture

    init() throws {
        fixture = try SessionFixture(AccountSettings(maxSessions: 3, sessionSecret: SharedSessionTests.secret("a")))
    }

    private static func secret(_ masterKey: String) -> SessionSecret {
        SessionSecret(masterKey: Secret(masterKey))
    }

    private func logIn(_ password: String = "p4ss", on fixture: SessionFixture? = nil) async throws -> String {
        let reply = try await (fixture ?? self.fixture).logIn(#"{"username":"ann","password":"\#(password)"}"#)
        return try #require(reply["sessionToken"]?.stringValue)
    }

    private func isLive(_ token: String) async throws -> Bool {
        try await fixture.caller(token).user != nil
    }

    @Test("a sign-up and all log-ins give the same token, which no number of log-ins ends")
    func same() async throws {
        let (id, token) = try await fixture.signUp("ann")
        for _ in 0..<5 { #expect(try await logIn() == token) }
        #expect(try await fixture.caller(token).user?.id == id)
        #expect(token.utf8.count == 25 && SessionToken(token) != nil)
        #expect(token == token.lowercased())
    }

    @Test("users have different tokens, and so has a user of a server with another master key")
    func different() async throws {
        var tokens: Set<String> = []
        for fixture in [fixture, try SessionFixture(AccountSettings(sessionSecret: SharedSessionTests.secret("b")))] {
            for name in ["ann", "bob"] { tokens.insert(try await fixture.signUp(name).token) }
        }
        #expect(tokens.count == 4)
    }

    @Test("a token depends on the secret, the user and the session, and on nothing else")
    func derivation() throws {
        let ids = ObjectIDGenerator()
        let (user, session) = (ids.next(), ids.next())
        let token = SharedSessionTests.secret("a").token(of: session, user: user).revealed
        #expect(SharedSessionTests.secret("a").token(of: session, user: user).revealed == token)
        #expect(SharedSessionTests.secret("b").token(of: session, user: user).revealed != token)
        #expect(SharedSessionTests.secret("a").token(of: user, user: session).revealed != token)
        #expect(SharedSessionTests.secret("a").token(of: session, user: session).revealed != token)
    }

    @Test("tokens use all digits and letters evenly")
    func digits() throws {
        let ids = ObjectIDGenerator()
        let secret = SharedSessionTests.secret("a")
        var counts: [Character: Int] = [:]
        for _ in 0..<2000 {
            for digit in secret.token(of: ids.next(), user: ids.next()).revealed { counts[digit, default: 0] += 1 }
        }
        #expect(counts.count == 36)
        // 50 000 digits: each is expected 1389 times, with a standard deviation of 37.
        #expect(counts.values.allSatisfy { (1150...1630).contains($0) }, "\(counts)")
    }

    @Test("a refresh gives all following log-ins another token, and ends the one before")
    func refresh() async throws {
        let (id, token) = try await fixture.signUp("ann")
        let reply = try await fixture.accounts.refreshSession(of: id, as: try await fixture.caller(token)).members
        let renewed = try #require(reply["sessionToken"]?.stringValue)
        #expect(renewed != token)
        #expect(try await logIn() == renewed)
        #expect(try await !isLive(token))
    }

    @Test("updatePassword ends the token that all devices have, and returns the next one")
    func updatePassword() async throws {
        let (id, token) = try await fixture.signUp("ann")
        let body: [String: JSONValue] = ["old_password": .string("p4ss"), "new_password": .string("n3w")]
        let caller = try await fixture.caller(token)
        let reply = try await fixture.accounts.changePassword(of: id, body, as: caller).members
        let renewed = try #require(reply["sessionToken"]?.stringValue)
        #expect(try await !isLive(token))
        #expect(try await logIn("n3w") == renewed)
    }

    @Test(
        "a user who saves a password gets the next token with the reply; for the master key it only ends",
        arguments: [false, true]
    )
    func savedPassword(byMaster: Bool) async throws {
        let (id, token) = try await fixture.signUp("ann")
        let caller = byMaster ? fixture.master : try await fixture.caller(token)
        let reply = try await fixture.update(id, #"{"password":"n3w"}"#, in: .user, as: caller)
        #expect(try await !isLive(token))
        let renewed = try await logIn("n3w")
        #expect(reply["sessionToken"]?.stringValue == (byMaster ? nil : renewed))
        #expect(renewed != token)
    }

    @Test("a change of anything else returns no token")
    func otherChange() async throws {
        let (id, token) = try await fixture.signUp("ann")
        let reply = try await fixture.update(id, #"{"city":"Lyon"}"#, in: .user, as: try await fixture.caller(token))
        #expect(reply["sessionToken"] == nil)
        #expect(try await isLive(token))
    }

    @Test("if passwords end no sessions, the token stays after each change of the password")
    func keptSessions() async throws {
        let settings = AccountSettings(endsSessions: false, sessionSecret: SharedSessionTests.secret("a"))
        let fixture = try SessionFixture(settings)
        let (id, token) = try await fixture.signUp("ann")
        let caller = try await fixture.caller(token)
        let reply = try await fixture.update(id, #"{"password":"n3w"}"#, in: .user, as: caller)
        #expect(reply["sessionToken"] == nil)
        #expect(try await logIn("n3w", on: fixture) == token)
    }

    @Test("an imported token stays valid beside the shared one")
    func imported() async throws {
        let settings = AccountSettings(endsSessions: false, sessionSecret: SharedSessionTests.secret("a"))
        let fixture = try SessionFixture(settings)
        let old = "abcdefghijklmnopqrstuvwxy"
        let id = try #require(ObjectID("5f3a00000000000000000003"))
        let user = #"{"objectId":"\#(id)","username":"ann","sessionToken":"\#(old)"}"#
        _ = try await fixture.create(user, in: .user, as: fixture.master)
        _ = try await fixture.update(id, #"{"password":"p4ss"}"#, in: .user, as: fixture.master)
        let token = try await logIn(on: fixture)
        #expect(token != old)
        #expect(try await logIn(on: fixture) == token)
        for live in [old, token] { #expect(try await fixture.caller(live).user?.id == id) }
    }

    @Test("a new password ends the shared session of an earlier setting, also if its caller sets the password")
    func downgraded() async throws {
        let (id, shared) = try await fixture.signUp("ann")
        let separate = try SessionFixture(store: fixture.store)
        let caller = try await separate.caller(shared)
        let reply = try await separate.update(id, #"{"password":"n3w"}"#, in: .user, as: caller)
        #expect(try await separate.caller(shared).user == nil)
        let renewed = try #require(reply["sessionToken"]?.stringValue)
        #expect(try await separate.caller(renewed).user?.id == id)
    }

    @Test("sessions that began with tokens of their own survive, and the next log-ins share one")
    func upgraded() async throws {
        let separate = try SessionFixture()
        let (_, first) = try await separate.signUp("ann")
        let second = try await logIn(on: separate)
        #expect(first != second)
        let shared = try SessionFixture(
            AccountSettings(sessionSecret: SharedSessionTests.secret("a")),
            store: separate.store
        )
        let token = try await logIn(on: shared)
        #expect(try await logIn(on: shared) == token)
        for old in [first, second, token] { #expect(try await shared.caller(old).user != nil) }
    }
}

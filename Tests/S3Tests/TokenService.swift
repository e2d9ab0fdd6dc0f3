import Dispatch
import Glibc
import Support
import Synchronization

@testable import S3

/// A security token service whose answers a closure gives, and a source of its credentials with a clock of its own.
struct TokenService: Sendable {
    let server: ScriptedServer
    let source: WebIdentitySource
    let clock: TestClock
    private let tokenFile: String

    static let role = "arn:aws:iam::111122223333:role/files"

    /// A clock that a test sets forward.
    final class TestClock: Sendable {
        private let start = ContinuousClock.now
        private let passed = Mutex(Duration.zero)

        var now: ContinuousClock.Instant { start + passed.withLock { $0 } }

        func pass(seconds: Int) {
            passed.withLock { $0 += .seconds(seconds) }
        }
    }

    typealias Answer = @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply

    /// Answers the request with a number with the credentials of that number.
    static let numbered: Answer = { _, number in TokenService.credentials(number) }

    /// Answers all requests with one reply.
    static func always(_ reply: ScriptedReply) -> Answer { { _, _ in reply } }

    /// Runs the body with a service, and a file with the token `token-1`.
    static func run(
        role: String = TokenService.role,
        _ answer: @escaping Answer,
        _ body: (TokenService) async throws -> Void
    ) async throws {
        let server = try ScriptedServer(answer)
        defer { server.close() }
        let path = "/tmp/lcfile-identity-\(UInt64.random(in: 0...UInt64.max))"
        defer { unlink(path) }
        let clock = TestClock()
        let identity = WebIdentity(role: role, session: "lcfile", tokenFile: path, endpoint: server.url)
        let source = WebIdentitySource(identity, now: { clock.now })
        let service = TokenService(server: server, source: source, clock: clock, tokenFile: path)
        try service.write("token-1")
        try await body(service)
    }

    /// Replaces the file with the token; `nil` removes it.
    func write(_ text: String?) throws {
        unlink(tokenFile)
        guard let text else { return }
        let file = try S3File(creating: tokenFile)
        try Array(text.utf8).withUnsafeBytes { try file.write($0, at: 0) }
    }

    /// The access key of the credentials that are valid now.
    func accessKey() throws -> String {
        try source.credentials(while: { true }).accessKey
    }

    /// The access keys that 16 threads get at the same time; `nil` for an error.
    func accessKeysOfThreads() -> [String?] {
        let found = Mutex<[String?]>([])
        let end = DispatchGroup()
        for _ in 0..<16 {
            DispatchQueue(label: "lcfile.test").async(group: end) {
                let key = try? accessKey()
                found.withLock { $0.append(key) }
            }
        }
        end.wait()
        return found.withLock { $0 }
    }

    /// The number of exchanges; a test can use the service as a store as well.
    var exchanges: Int { server.requests.filter { $0.path == "/" }.count }

    /// The answer with the credentials `KEY<number>`, `SECRET<number>` and `SESSION<number>`.
    static func credentials(_ number: Int, life: Int64 = 3600) -> ScriptedReply {
        let time = Array(SigningTime(S3Client.now() + life).text)
        func part(_ range: Range<Int>) -> String { String(time[range]) }
        let day = "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))"
        return document("KEY\(number)", "\(day)T\(part(9..<11)):\(part(11..<13)):\(part(13..<15))Z", number)
    }

    /// The answer with an access key and an end.
    static func document(_ accessKey: String, _ end: String, _ number: Int = 1) -> ScriptedReply {
        let text = """
            <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <AssumeRoleWithWebIdentityResult>
                <SubjectFromWebIdentityToken>system:serviceaccount:files:lcfile</SubjectFromWebIdentityToken>
                <Credentials>
                  <SessionToken>SESSION\(number)</SessionToken>
                  <SecretAccessKey>SECRET\(number)</SecretAccessKey>
                  <Expiration>\(end)</Expiration>
                  <AccessKeyId>\(accessKey)</AccessKeyId>
                </Credentials>
              </AssumeRoleWithWebIdentityResult>
            </AssumeRoleWithWebIdentityResponse>
            """
        return ScriptedReply(body: Array(text.utf8))
    }

    /// The answer that refuses a token.
    static func refusal(_ status: Int, _ code: String, _ message: String = "Said.") -> ScriptedReply {
        let text = """
            <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
              <Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>
              <RequestId>1234</RequestId>
            </ErrorResponse>
            """
        return ScriptedReply(status: status, body: Array(text.utf8))
    }
}

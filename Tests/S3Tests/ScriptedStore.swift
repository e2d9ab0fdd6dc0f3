import Support
import Synchronization
import Testing

@testable import S3

/// A store whose answers a closure gives.
struct ScriptedStore {
    private let answer: @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply
    private let change: (inout S3Options) -> Void
    private let goesOn: @Sendable () -> Bool

    init(
        _ answer: @escaping @Sendable (_ request: ReceivedRequest, _ number: Int) -> ScriptedReply,
        change: @escaping (inout S3Options) -> Void = { _ in },
        goesOn: @escaping @Sendable () -> Bool = { true }
    ) {
        self.answer = answer
        self.change = change
        self.goesOn = goesOn
    }

    /// Runs the body with the store and a client of it that repeats without delays.
    func with<Result>(_ body: (_ client: S3Client, _ server: ScriptedServer) throws -> Result) throws -> Result {
        let server = try ScriptedServer(answer)
        defer { server.close() }
        var options = S3Options()
        options.firstPause = .milliseconds(1)
        options.longestPause = .milliseconds(2)
        options.attempts = 3
        change(&options)
        let client = S3Client(
            try S3Bucket("bucket", region: "us-east-1", endpoint: server.url),
            credentials: S3Credentials(accessKey: "ACCESS", secretKey: "SECRET", sessionToken: "TOKEN"),
            options: options,
            goesOn: goesOn
        )
        return try body(client, server)
    }

    /// The answer that refuses a request.
    static func refusal(_ status: Int, _ code: String, _ more: String = "", _ headers: String...) -> ScriptedReply {
        let text = "<?xml version=\"1.0\"?><Error><Code>\(code)</Code><Message>Said.</Message>\(more)</Error>"
        return ScriptedReply(status: status, headers: headers, body: Array(text.utf8))
    }

    /// The answer to a GET, with the ETag of its bytes.
    static func object(_ text: String, cut: Int? = nil, tag: String? = nil) -> ScriptedReply {
        let bytes = Array(text.utf8)
        let tag = tag ?? S3Body(bytes).digests.md5.hexadecimal
        return ScriptedReply(headers: ["ETag: \"\(tag)\""], body: bytes, cut: cut)
    }
}

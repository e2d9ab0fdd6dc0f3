import CurlFetch
import Domain
import Logging
import NIOPosix
import Support
import Testing

/// The verifier of third-party log-ins (`accounts.authDataVerifier`).
@Suite(.timeLimit(.minutes(5))) struct AuthDataHookTests {
    private let limit = 64 << 10

    /// Verifies `{"code":"c"}` of `lc_weapp` with a server that answers with a status and a body.
    private func verify(_ status: Int, _ body: String) async throws -> JSONValue {
        var result: Result<JSONValue, any Error>?
        let reply = Reply.answer(status, ["Content-Length: \(body.utf8.count)"], body)
        try await LoopbackServer.with(["/v": reply]) { _, port in
            let pool = NIOThreadPool(numberOfThreads: 1)
            pool.start()
            let hook = AuthDataHook(
                url: "http://127.0.0.1:\(port)/v",
                timeout: 30,
                pool: pool,
                logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            )
            let app = try #require(AppID("app"))
            do {
                result = .success(try await hook.verify(["code": "c"], of: "lc_weapp", in: app))
            } catch {
                result = .failure(error)
            }
            try await pool.shutdownGracefully()
        }
        return try #require(result).get()
    }

    @Test(
        "a body without authData confirms the data of the client",
        arguments: ["", "ok", "{}", "[]", #"{"status":"ok"}"#, #"{"authData":{"openid":"o""#]
    )
    func unchanged(body: String) async throws {
        #expect(try await verify(200, body) == ["code": "c"])
    }

    @Test("the member authData of the body replaces the data of the client, in its stored form")
    func replaced() async throws {
        let data = try await verify(200, #"{"authData":{"openid":"o","n":1},"x":2}"#)
        #expect(data == ["openid": "o", "n": .integer(1)])
        let date = try await verify(200, #"{"authData":{"d":{"__type":"Date","iso":"2026-01-31T08:00:00Z","x":1}}}"#)
        #expect(date.objectValue?["d"]?.objectValue.map { Set($0.keys) } == ["__type", "iso"])
    }

    @Test("a body up to the limit is read")
    func largest() async throws {
        let (start, end) = (#"{"authData":{"openid":""#, #""}}"#)
        let id = String(repeating: "o", count: limit - start.utf8.count - end.utf8.count)
        #expect(try await verify(200, start + id + end).objectValue?["openid"] == .string(id))
    }

    @Test(
        "data that no client could send, and a larger body, refuse the log-in",
        arguments: [
            #"{"authData":5}"#, #"{"authData":null}"#, #"{"authData":["o"]}"#, #"{"authData":{"a.b":1}}"#,
            #"{"authData":{"$or":1}}"#, #"{"authData":{"a":{"__op":"Delete"}}}"#, #"{"authData":{"d":{"__type":"X"}}}"#,
            String(repeating: "x", count: (64 << 10) + 1),
        ]
    )
    func invalid(body: String) async {
        let error = await #expect(throws: ServiceError.self) { try await verify(200, body) }
        #expect(error?.code == .invalidAuthData)
    }

    @Test("the body of another status replaces nothing", arguments: [201, 302, 400, 403, 500])
    func refused(status: Int) async {
        let error = await #expect(throws: ServiceError.self) {
            try await verify(status, #"{"authData":{"openid":"o"}}"#)
        }
        #expect(error?.code == .invalidAuthData)
    }
}

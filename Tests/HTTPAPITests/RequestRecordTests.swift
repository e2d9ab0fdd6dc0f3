import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Support
import Synchronization
import Testing

@testable import HTTPAPI

/// Collects records.
final class Records: Sendable {
    private let records = Mutex<[RequestRecord]>([])

    var all: [RequestRecord] { records.withLock { $0 } }
    var sink: RequestSink { RequestSink { record in self.records.withLock { $0.append(record) } } }
}

/// What the log says of requests that take a route.
@Suite struct RequestRecordTests {
    private let records = Records()

    private func record(
        _ method: String,
        _ path: String,
        _ headers: HTTPFields = [:],
        in server: TestServer = TestServer()
    ) async throws -> (RequestRecord, TestResponse) {
        var server = server
        server.requests = records.sink
        let response = try await server.test { try await $0.send(method, path, nil, headers) }
        try #require(records.all.count == 1)
        return (records.all[0], response)
    }

    @Test("a request with a key has its app, route, status, size and id")
    func api() async throws {
        let (record, response) = try await record("GET", "/1.1/classes/Thing?where=%7B%7D", Who.client.headers)
        #expect(record.app?.description == "app")
        #expect(record.method == "GET")
        #expect(record.path == "/1.1/classes/Thing")
        #expect(record.route == "/1.1/classes/{class}")
        #expect(record.status == response.status.code)
        #expect(record.bytes == Int64(response.body.readableBytes))
        #expect("\(record.id)" == response.headers[.requestID])
        #expect(record.isComplete)
    }

    @Test("a request with a wrong key has no app")
    func wrongKey() async throws {
        var headers = Who.client.headers
        headers[.known("X-LC-Key")] = "wrong"
        let (record, _) = try await record("GET", "/1.1/classes/Thing", headers)
        #expect(record.app == nil)
        #expect(record.status == 401)
    }

    @Test("a response without a known length is counted")
    func stream() async throws {
        var headers = Who.client.headers
        headers[.known("Accept-Encoding")] = "gzip"
        let (record, response) = try await record("GET", "/1.1/schemas", headers)
        #expect(record.bytes == Int64(response.body.readableBytes))
    }

    @Test("a download has the app of its file, and HEAD no bytes", arguments: [("GET", 5), ("HEAD", 0)])
    func download(method: String, bytes: Int64) async throws {
        var server = TestServer()
        server.requests = records.sink
        try await server.test { client in
            let file = try await client.upload("x.txt")
            let url = try #require(file["url"]?.stringValue)
            _ = try await client.send(method, String(url.dropFirst("https://files.example.com".count)), nil, [:])
        }
        let record = try #require(records.all.last)
        #expect(record.app?.description == "app")
        #expect(record.route == "/**")
        #expect(record.bytes == bytes)
    }

    @Test("an unknown path has no app")
    func unknown() async throws {
        let (record, _) = try await record("GET", "/none", [:])
        #expect(record.app == nil)
        #expect(record.status == 404)
    }

    @Test("a log without lines for requests gets no record")
    func closedSink() async throws {
        var server = TestServer()
        server.requests = RequestSink(isOpen: { false }, send: records.sink.send)
        _ = try await server.test { try await $0.send("GET", "/health", nil, [:]) }
        #expect(records.all.isEmpty)
    }

    @Test("a response that is not sent is recorded once, as incomplete", arguments: [nil, 5])
    func dropped(length: Int?) {
        let record = RequestRecord(
            time: .now(),
            id: "7",
            app: nil,
            client: .unknown,
            method: "GET",
            path: "/",
            route: nil,
            status: 200,
            bytes: nil,
            duration: .zero,
            isComplete: false
        )
        let pending = PendingRecord()
        _ = pending.begin(record, since: .now, ResponseBody(contentLength: length) { _ in }, to: records.sink)
        pending.end(isComplete: false)
        pending.end(isComplete: true)
        #expect(records.all.map(\.isComplete) == [false])
        #expect(records.all.map(\.bytes) == [length == nil ? 0 : nil])
    }

    @Test("the client is the address, IPv4 in its usual form; a trusted proxy's lines count")
    func client() throws {
        let mapped = try SocketAddress(ipAddress: "::ffff:192.0.2.1", port: 1)
        #expect(RequestClient.peer(mapped).description == "192.0.2.1")
        #expect(RequestClient.unknown.description == "-")
        var proxies = TrustedProxies()
        proxies.networks = try #require(TrustedProxies.networks("192.0.2.1"))
        #expect(RequestClient.named(in: ["198.51.100.7"], by: mapped, proxies).description == "198.51.100.7")
        #expect(RequestClient.named(in: ["forged\n"], by: mapped, proxies).description == "0.0.0.0")
        #expect(RequestClient.named(in: ["198.51.100.7", "::"], by: mapped, proxies).size == 14)
        #expect(RequestClient.peer(mapped).size == 0)
        let other = try SocketAddress(ipAddress: "192.0.2.2", port: 1)
        #expect(RequestClient.named(in: ["198.51.100.7"], by: other, proxies).description == "192.0.2.2")
    }
}

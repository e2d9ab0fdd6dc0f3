import Domain
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import Testing

@testable import Console
@testable import HTTPAPI

/// Who gets the console, and who can log in.
@Suite struct ConsoleGateTests {
    struct Case: CustomTestStringConvertible {
        var access = ConsoleAccess.loopback
        var peer = "127.0.0.1"
        var client: String?
        var host: String? = "127.0.0.1:8080"
        var headers: [String: String] = [:]
        var isEncrypted = false
        var isPublishedEncrypted = false

        var testDescription: String { "\(access) \(peer) \(client ?? "-") \(host ?? "-") \(headers)" }
    }

    private func decision(_ given: Case) throws -> (admits: Bool, isConfidential: Bool) {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: given.peer, port: 50_000)
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        var context = APIContext(source: source)
        context.forwardedClient = given.client.flatMap { IPAddress($0) }
        var head = HTTPRequest(method: .get, scheme: "http", authority: given.host, path: "/console/")
        for (name, value) in given.headers { head.headerFields[try #require(HTTPField.Name(name))] = value }
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let gate = ConsoleGate(
            options: ConsoleOptions(
                access: given.access,
                isEncrypted: given.isEncrypted,
                isPublishedEncrypted: given.isPublishedEncrypted
            )
        )
        return (gate.admits(request, context), gate.isConfidential(request, context))
    }

    @Test(
        "browsers on this machine get the console by default",
        arguments: [
            Case(), Case(host: "localhost"), Case(host: "LOCALHOST:80"), Case(peer: "::1", host: "[::1]:8080"),
            Case(peer: "127.9.9.9"), Case(peer: "::ffff:127.0.0.1"), Case(client: "127.0.0.1"),
            Case(client: "127.0.0.1", headers: ["X-Forwarded-For": "127.0.0.1"]),
        ]
    )
    func local(given: Case) throws {
        let decision = try decision(given)
        #expect(decision == (true, true))
    }

    @Test(
        "others do not, also those whom a proxy on this machine passes on",
        arguments: [
            Case(peer: "192.0.2.1"), Case(peer: "2001:db8::1"), Case(peer: "::ffff:192.0.2.1"),
            Case(client: "192.0.2.1"), Case(client: "0.0.0.0"), Case(host: "files.example.com"),
            Case(host: "localhost.example.com"),
            Case(host: "127.0.0.1.example.com:8080"), Case(host: nil), Case(host: ""),
            Case(headers: ["X-Forwarded-For": "127.0.0.1"]), Case(headers: ["Forwarded": "for=127.0.0.1"]),
            Case(headers: ["X-Real-IP": "127.0.0.1"]), Case(headers: ["Via": "1.1 proxy"]),
            Case(headers: ["X-Forwarded-Host": "localhost"]), Case(peer: "192.0.2.1", isEncrypted: true),
        ]
    )
    func remote(given: Case) throws {
        #expect(try decision(given).admits == false)
    }

    @Test("with off no one gets the console", arguments: [Case(access: .off), Case(access: .off, isEncrypted: true)])
    func off(given: Case) throws {
        #expect(try decision(given).admits == false)
    }

    @Test(
        "with on every client gets the console, and can log in by HTTPS or on this machine",
        arguments: [
            (Case(access: .on), true), (Case(access: .on, peer: "192.0.2.1"), false),
            (Case(access: .on, peer: "192.0.2.1", isEncrypted: true), true),
            (Case(access: .on, peer: "192.0.2.1", isPublishedEncrypted: true), false),
            (Case(access: .on, client: "192.0.2.1", isPublishedEncrypted: true), true),
            (Case(access: .on, client: "192.0.2.1"), false),
            (Case(access: .on, host: "files.example.com"), false),
        ]
    )
    func on(given: Case, isConfidential: Bool) throws {
        let decision = try decision(given)
        #expect(decision == (true, isConfidential))
    }
}

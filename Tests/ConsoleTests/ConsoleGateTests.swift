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
        var proxies = ""
        var host: String? = "127.0.0.1:8080"
        var headers: [String: String] = [:]
        var isEncrypted = false
        var isPublishedEncrypted = false

        var testDescription: String { "\(access) \(peer) \(proxies) \(host ?? "-") \(headers)" }
    }

    private struct Decision: Equatable {
        var admits = true
        var isConfidential = true
        var isEncrypted = false
    }

    private func decision(_ given: Case) throws -> Decision {
        let channel = EmbeddedChannel()
        channel.remoteAddress = try SocketAddress(ipAddress: given.peer, port: 50_000)
        let source = ApplicationRequestContextSource(channel: channel, logger: Logger(label: "test"))
        var head = HTTPRequest(method: .get, scheme: "http", authority: given.host, path: "/console/")
        for (name, value) in given.headers { head.headerFields[try #require(HTTPField.Name(name))] = value }
        var proxies = TrustedProxies()
        proxies.networks = try #require(TrustedProxies.networks(given.proxies))
        var context = APIContext(source: source)
        context.noteClient(namedBy: proxies, in: head.headerFields)
        let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
        let gate = ConsoleGate(
            options: ConsoleOptions(
                access: given.access,
                isEncrypted: given.isEncrypted,
                isPublishedEncrypted: given.isPublishedEncrypted
            )
        )
        return Decision(
            admits: gate.admits(request, context),
            isConfidential: gate.isConfidential(request, context),
            isEncrypted: gate.isEncrypted(context)
        )
    }

    @Test(
        "browsers on this machine get the console by default",
        arguments: [
            Case(), Case(host: "localhost"), Case(host: "LOCALHOST:80"), Case(peer: "::1", host: "[::1]:8080"),
            Case(peer: "127.9.9.9"), Case(peer: "::ffff:127.0.0.1"), Case(headers: ["Connection": "keep-alive"]),
            Case(headers: ["Origin": "http://127.0.0.1:8080"]), Case(headers: ["Origin": "http://LOCALHOST:8080"]),
            Case(headers: ["Origin": "http://[::1]:8080"]), Case(headers: ["Origin": "null"]),
            // Without the field of the proxy, whose cookie for HTTPS the browser would not store.
            Case(proxies: "127.0.0.1", isPublishedEncrypted: true),
        ]
    )
    func local(given: Case) throws {
        #expect(try decision(given) == Decision())
    }

    @Test("a browser on this machine gets the console through a trusted proxy")
    func localByProxy() throws {
        let headers = ["X-Forwarded-For": "127.0.0.1", "Connection": "close", "Via": "1.1 proxy"]
        let given = Case(proxies: "127.0.0.1", headers: headers, isPublishedEncrypted: true)
        #expect(try decision(given) == Decision(isEncrypted: true))
    }

    @Test(
        "others do not, also those whom a proxy on this machine passes on",
        arguments: [
            Case(peer: "192.0.2.1"), Case(peer: "2001:db8::1"), Case(peer: "::ffff:192.0.2.1"),
            Case(proxies: "127.0.0.1", headers: ["X-Forwarded-For": "192.0.2.1"]),
            Case(proxies: "127.0.0.1", headers: ["X-Forwarded-For": "unknown"]),
            Case(proxies: "127.0.0.1", headers: ["X-Real-IP": "192.0.2.1"]), Case(host: "files.example.com"),
            Case(host: "localhost.example.com"),
            Case(host: "127.0.0.1.example.com:8080"), Case(host: nil), Case(host: ""),
            Case(headers: ["X-Forwarded-For": "127.0.0.1"]), Case(headers: ["Forwarded": "for=127.0.0.1"]),
            Case(headers: ["X-Real-IP": "127.0.0.1"]), Case(headers: ["Via": "1.1 proxy"]),
            Case(headers: ["X-Forwarded-Host": "localhost"]), Case(headers: ["X-Forwarded-Proto": "https"]),
            // A proxy that changes the host to its own view of the server, and adds nothing.
            Case(headers: ["Connection": "close"]), Case(headers: ["Origin": "https://files.example.com"]),
            Case(headers: ["Origin": "http://localhost.example.com"]), Case(peer: "192.0.2.1", isEncrypted: true),
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
            (
                Case(
                    access: .on,
                    proxies: "127.0.0.1",
                    headers: ["X-Forwarded-For": "192.0.2.1"],
                    isPublishedEncrypted: true
                ), true
            ),
            (Case(access: .on, proxies: "127.0.0.1", headers: ["X-Forwarded-For": "192.0.2.1"]), false),
            (Case(access: .on, host: "files.example.com"), false),
            (Case(access: .on, proxies: "127.0.0.1", host: "files.example.com", isPublishedEncrypted: true), false),
        ]
    )
    func on(given: Case, isConfidential: Bool) throws {
        let decision = try decision(given)
        #expect(decision.admits)
        #expect(decision.isConfidential == isConfidential)
    }
}

import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Support
import Synchronization
import Testing

@testable import HTTPAPI

/// Downloads of keys that no app has.
@Suite struct MirrorRouteTests {
    private let origin = OldServer()

    private func server(_ mirrors: Set<String>, _ domains: [String: [String]] = [:]) -> TestServer {
        var server = TestServer()
        server.mirrors = mirrors
        server.ownDomains = domains
        server.fetcher = origin
        server.names = ImageNames(styles: ["small": "imageView2/2/w/10/format/png"])
        server.renderer = FixedRenderer()
        return server
    }

    @Test(
        "the host decides whose file it can be, and without one the only app with a mirror",
        arguments: [
            (["app"], [:], "any.example.com", "app"), (["app", "other"], [:], "any.example.com", nil),
            ([], [:], "any.example.com", nil),
            (["app", "other"], ["other": ["https://b.example.com"]], "b.example.com", "other"),
            (["app", "other"], ["other": ["https://B.example.com/files"]], "b.example.com", "other"),
            (["app", "other"], ["other": ["https://b.example.com:443"]], "b.example.com", "other"),
            (["app", "other"], ["other": ["http://b.example.com:8080"]], "b.example.com", nil),
            (["app", "other"], ["app": ["https://a.example.com"]], "b.example.com", nil),
            (["app"], ["other": ["https://b.example.com"]], "b.example.com", nil),
            (["app"], ["app": ["https://b.example.com"], "other": ["https://b.example.com"]], "b.example.com", "app"),
        ] as [(Set<String>, [String: [String]], String, String?)]
    )
    func host(mirrors: Set<String>, domains: [String: [String]], host: String, app: String?) async throws {
        try await server(mirrors, domains).test { [origin] client in
            let response = try await client.execute(uri: "/k.jpg", method: .get, host: host)
            #expect(response.status == (app == nil ? .notFound : .ok))
            #expect(origin.requests == (app.map { ["https://old.example.com/\($0)/k.jpg"] } ?? []))
        }
    }

    @Test("of a path with a style's name, the key before it is fetched first")
    func style() async throws {
        try await server(["app"]).test { [origin] client in
            origin.has("pic.jpg")
            let styled = try await client.send("GET", "/pic.jpg-small", nil, [:])
            #expect(styled.headers[.contentType] == "image/png")
            origin.has("pic2-small")
            let named = try await client.send("GET", "/pic2-small", nil, [:])
            #expect(named.text == "elsewhere")
            #expect(origin.requests.map { $0.split(separator: "/").last } == ["pic.jpg", "pic2", "pic2-small"])
        }
    }

    @Test("paths of the server's own routes are not fetched", arguments: ["/1.1/x", "/1/x", "/1.1/files/x/y"])
    func ownPaths(path: String) async throws {
        try await server(["app"]).test { [origin] client in
            let response = try await client.send("GET", path, nil, [:])
            #expect(response.status == .notFound)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test(
        "the status is for the master key",
        arguments: [(Who.guest, 401), (.client, 403), (.master, 200), (.stranger, 403)]
    )
    func access(who: Who, status: Int) async throws {
        try await server(["app"]).test { client in
            let response = try await client.send("GET", "/1.1/mirror", nil, who.headers)
            #expect(response.status.code == status)
        }
    }
}

/// A server that has every file, or only those that are named.
final class OldServer: Fetcher {
    private let state = Mutex((keys: Set<String>?.none, requests: [String]()))

    var requests: [String] { state.withLock(\.requests) }

    /// Lets it have this file, and no others but those named before.
    func has(_ name: String) { state.withLock { $0.keys = ($0.keys ?? []).union([name]) } }

    func fetch(
        _ url: RemoteURL,
        into take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> FetchedHead {
        let name = url.lastPathSegment(limit: .max) ?? ""
        let isThere = state.withLock { state in
            state.requests.append(url.description)
            return state.keys?.contains(name) ?? true
        }
        guard isThere else { throw ServiceError(.badRequest, "No.", cause: RefusedStatus(status: 404)) }
        try await take(ByteBuffer(string: "elsewhere"))
        return FetchedHead(mediaType: .jpeg)
    }
}

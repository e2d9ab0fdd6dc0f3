import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Files in folders in which the server has routes of its own.
@Suite struct KeyFolderTests {
    @Test(
        "a file whose key begins as the path of a route is served",
        arguments: ["v1", "v1/x", "v1/route/x.txt", "v1/ws/x.txt", "v1/x/route"]
    )
    func served(key: String) async throws {
        try await TestServer().test { client in
            let target = try await Target(client, #"{"name":"a.txt","key":"\#(key)"}"#, Who.master.headers)
            let stored = try await target.call(.put, "", "hello")
            #expect(stored.status == .ok)
            let file = try await client.send("GET", "/\(key)", nil, [:])
            #expect(file.text == "hello")
            let head = try await client.send("HEAD", "/\(key)", nil, [:])
            #expect(head.headers[.contentLength] == "5")
        }
    }

    @Test("a file in a folder of live queries, which a guest chose as prefix, is served", arguments: ["v1", "v1/ws"])
    func prefix(folder: String) async throws {
        try await TestServer().test { client in
            let record = try await client.upload("a.txt", (name: "prefix", text: folder))
            let key = try #require(record["key"]?.stringValue)
            #expect(key.hasPrefix("\(folder)/"))
            let file = try await client.send("GET", "/\(key)", nil, [:])
            #expect(file.text == "hello")
        }
    }

    @Test("each folder of a route is reserved for the server, or its other paths are those of files")
    func folders() {
        let api = API(apps: [], authenticator: Authenticator(keys: [:]), publicURL: "https://api.example.com")
        let routes = api.router(RequestLog(sink: nil, failures: [:]), monitor: nil).routes
        let paths = Set(routes.map { "\($0.method) \($0.path)" })
        for route in routes {
            let segments = route.path.description.split(separator: "/").map(String.init)
            guard let first = segments.first, first != "**", !["1", "1.1"].contains(first) else { continue }
            #expect(FileKey.reservedSegments.contains(first) || first == "v1", "\(route)")
            for length in segments.indices where segments[length] != "**" {
                let folder = segments[...length].joined(separator: "/")
                let isReserved = FileKey.reservedSegments.contains(folder) || FileKey.reservedPaths.contains(folder)
                for method in ["GET", "HEAD"] {
                    #expect(paths.contains("\(method) /\(folder)/**"), "\(method) \(folder)")
                    #expect(isReserved || paths.contains("\(method) /\(folder)"), "\(method) \(folder)")
                }
            }
        }
    }
}

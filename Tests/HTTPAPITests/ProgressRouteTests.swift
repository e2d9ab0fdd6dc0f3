import Domain
import HTTPTypes
import NIOCore
import NIOEmbedded
import Support
import Testing

@testable import HTTPAPI

/// How far an upload came, as JSON and as events (docs/uploads.md, section 8).
@Suite struct ProgressRouteTests {
    @Test("progress tells what is known, and the address of the file once it is there")
    func json() async throws {
        try await TestServer().test { client in
            let target = try await Target(client, size: 5)
            let path = "/1.1/uploads/\(target.secret)"
            let waiting = try await client.send("GET", path, nil, [:]).json()
            #expect(Set(waiting.keys) == ["objectId", "state", "received", "size", "percent", "expiresAt"])
            #expect(waiting["state"] == .string("waiting"))
            #expect(waiting["objectId"] == .string(target.id))
            _ = try await target.call(.put, "", "hello")
            let finished = try await client.send("GET", path, nil, [:]).json()
            #expect(finished["state"] == .string("finished"))
            #expect(finished["received"] == .integer(5))
            #expect(finished["percent"] == .integer(100))
            #expect(finished["url"] == .string("https://files.example.com/\(target.key)"))
        }
    }

    @Test("progress has no size if none was announced")
    func unannounced() async throws {
        try await TestServer().test { client in
            let target = try await Target(client)
            let waiting = try await client.send("GET", "/1.1/uploads/\(target.secret)", nil, [:]).json()
            #expect(Set(waiting.keys) == ["objectId", "state", "received", "expiresAt"])
        }
    }

    @Test("events end with the upload, and a browser that comes back is told to stop")
    func events() async throws {
        try await TestServer().test { client in
            let target = try await Target(client)
            _ = try await target.call(.put, "", "hello")
            let path = "/1.1/uploads/\(target.secret)/events"
            let stream = try await client.send("GET", path, nil, [:])
            #expect(stream.headers[.contentType] == "text/event-stream")
            #expect(stream.text.hasPrefix("id: end\nevent: finished\ndata: {"))
            #expect(stream.text.hasSuffix("}\n\n"))
            let again = try await client.send("GET", path, nil, [.known("Last-Event-ID"): "end"])
            #expect(again.status == .noContent)
        }
    }

    @Test("a stream that ended leaves no callback at its connection")
    func connection() async throws {
        try await TestServer().test { client in
            let target = try await Target(client)
            _ = try await target.call(.put, "", "hello")
            let channel = NIOAsyncTestingChannel()
            try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.addHandler(ClientPresence())
            }
            let path = "/1.1/uploads/\(target.secret)/events"
            let stream = try await client.execute(uri: path, method: .get, on: channel)
            #expect(stream.text.hasPrefix("id: end\n"))
            let count = try await channel.testingEventLoop.executeInContext {
                try channel.pipeline.syncOperations.handler(type: ClientPresence.self).count
            }
            #expect(count == 0)
        }
    }

    @Test("an upload that there is not is 404", arguments: ["a", String(repeating: "a", count: 40)])
    func unknown(token: String) async throws {
        try await TestServer().test { client in
            for rest in ["", "/events"] {
                let response = try await client.send("GET", "/1.1/uploads/\(token)\(rest)", nil, [:])
                #expect(response.status == .notFound)
            }
        }
    }
}

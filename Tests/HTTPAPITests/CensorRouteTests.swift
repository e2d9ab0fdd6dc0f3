import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// The routes of censorship: who may use them, and what they refuse.
@Suite struct CensorRouteTests {
    /// Uploads an image and returns its id.
    @Sendable private func upload(_ client: TestClient, _ name: String = "a.jpg") async throws -> String {
        try #require(try await client.upload(name)["objectId"]?.stringValue)
    }

    @Test(
        "every route is for the master key",
        arguments: [
            ("POST", "/1.1/files/ID/censor", nil, 200), ("PUT", "/1.1/files/ID/censor", #"{"verdict":"passed"}"#, 200),
            ("GET", "/1.1/files/ID/censor", nil, 200), ("GET", "/1.1/censorship", nil, 200),
            ("DELETE", "/1.1/files/ID/censor", nil, 200), ("GET", "/1.1/censorship/scores", nil, 200),
            ("GET", "/1.1/censorship/status", nil, 200), ("GET", "/1.1/censorship/settings", nil, 200),
            ("PUT", "/1.1/censorship/settings", #"{"auto":true}"#, 200), ("GET", "/1.1/censorship/log", nil, 200),
            ("GET", "/1.1/censorship/jobs", nil, 200),
            (
                "POST", "/1.1/censorship/jobs", #"{"from":"2020-01-01T00:00:00.000Z","to":"2030-01-01T00:00:00.000Z"}"#,
                201
            ),
            ("GET", "/1.1/censorship/jobs/ID", nil, 404),
            ("PUT", "/1.1/censorship/jobs/ID", #"{"state":"cancelled"}"#, 404),
            ("GET", "/1.1/censorship/known", nil, 200), ("POST", "/1.1/censorship/known", #"{"images":[]}"#, 200),
            ("DELETE", "/1.1/censorship/known/ID", nil, 404),
        ] as [(String, String, String?, Int)]
    )
    func access(_ method: String, _ path: String, _ body: String?, _ status: Int) async throws {
        try await TestServer().test { client in
            let path = path.replacing("ID", with: try await upload(client))
            for (who, refusal) in [(Who.guest, 401), (.client, 403), (.stranger, 403)] {
                #expect(try await client.send(method, path, body, who.headers).status.code == refusal, "\(who)")
            }
            var user = Who.client.headers
            let signedUp = try await client.send("POST", "/1.1/users", #"{"username":"u","password":"p4ss"}"#).json()
            user[.known("X-LC-Session")] = signedUp["sessionToken"]?.stringValue
            #expect(try await client.send(method, path, body, user).status.code == 403)
            let response = try await client.send(method, path, body, Who.master.headers)
            #expect(response.status.code == status, "\(response.text)")
        }
    }

    @Test("an SDK's check answers the verdict")
    func check() async throws {
        try await TestServer().test { client in
            let id = try await upload(client)
            let response = try await client.send("POST", "/1.1/files/\(id)/censor", "{}", Who.master.headers)
            #expect(response.text == #"{"censorResult":"passed"}"#)
        }
    }

    @Test(
        "bad requests are refused by the name of what is wrong",
        arguments: [
            ("POST", "/1.1/files/6b017ba12dd266ba0b930c5d/censor", nil, 404, "File not found."),
            ("PUT", "/1.1/files/6b017ba12dd266ba0b930c5d/censor", #"{"verdict":"passed"}"#, 404, "File not found."),
            ("GET", "/1.1/files/a.b/censor", nil, 404, "File not found."),
            ("POST", "/1.1/files/TEXT/censor", nil, 400, "not an image"),
            ("PUT", "/1.1/files/TEXT/censor", #"{"verdict":"rejected"}"#, 400, "not an image"),
            ("PUT", "/1.1/files/ID/censor", #"{"verdict":"blocked"}"#, 400, "verdict must be"),
            ("PUT", "/1.1/files/ID/censor", #"{"verdict":"pending"}"#, 400, "verdict must be"),
            ("PUT", "/1.1/files/ID/censor", "{}", 400, "verdict must be"),
            ("PUT", "/1.1/files/ID/censor", "[]", 400, "JSON object"),
            ("PUT", "/1.1/files/ID/censor", #"{"verdict":"passed","note":1}"#, 400, "note must be"),
            (
                "PUT", "/1.1/files/ID/censor", #"{"verdict":"passed","by":"\#(String(repeating: "x", count: 129))"}"#,
                400, "by must be"
            ),
            ("DELETE", "/1.1/files/TEXT/censor", nil, 400, "not an image"),
            ("DELETE", "/1.1/files/6b017ba12dd266ba0b930c5d/censor", nil, 404, "File not found."),
            ("GET", "/1.1/censorship/scores?cursor=%2F", nil, 400, "cursor"),
            ("GET", "/1.1/censorship/scores?name=\(String(repeating: "x", count: 65))", nil, 400, "name must be"),
            ("GET", "/1.1/censorship?verdict=blocked", nil, 400, "verdict must be"),
            ("GET", "/1.1/censorship?limit=0", nil, 400, "limit must be"),
            ("GET", "/1.1/censorship?limit=201", nil, 400, "limit must be"),
            ("GET", "/1.1/censorship?cursor=zz", nil, 400, "cursor"),
            ("GET", "/1.1/censorship?from=yesterday", nil, 400, "from must be a time"),
            (
                "GET", "/1.1/censorship?from=2026-01-02T00:00:00.000Z&to=2026-01-01T00:00:00.000Z", nil, 400,
                "from must be before to"
            ),
            ("PUT", "/1.1/censorship/settings", #"{"automatic":true}"#, 400, "'automatic' is not a setting"),
            ("POST", "/1.1/censorship/jobs", "{}", 400, "from must be a time"),
            (
                "POST", "/1.1/censorship/jobs", #"{"from":"2026-01-02T00:00:00.000Z","to":"2026-01-01T00:00:00.000Z"}"#,
                400, "from must be before to"
            ),
            (
                "POST", "/1.1/censorship/jobs",
                #"{"from":"2026-01-01T00:00:00.000Z","to":"2026-01-02T00:00:00.000Z","recheck":1}"#, 400,
                "recheck must be"
            ),
            ("PUT", "/1.1/censorship/jobs/6b017ba12dd266ba0b930c5d", #"{"state":"done"}"#, 400, "state must be"),
            ("POST", "/1.1/censorship/known", #"{"images":1}"#, 400, "images must be"),
            ("POST", "/1.1/censorship/known", #"{"images":[{}]}"#, 400, "sha256, pdq or both"),
            ("POST", "/1.1/censorship/known", #"{"images":[{"sha256":"zz"}]}"#, 400, "sha256 must be"),
            ("POST", "/1.1/censorship/known", #"{"images":[{"pdq":"00"}]}"#, 400, "of 64 hexadecimal"),
        ] as [(String, String, String?, Int, String)]
    )
    func refused(_ method: String, _ path: String, _ body: String?, _ status: Int, _ message: String) async throws {
        try await TestServer().test { client in
            var path = path.replacing("ID", with: try await upload(client))
            path = path.replacing("TEXT", with: try await upload(client, "a.txt"))
            let response = try await client.send(method, path, body, Who.master.headers)
            #expect(response.status.code == status, "\(response.text)")
            #expect(response.text.contains(message), "\(response.text)")
        }
    }

    @Test("the list pages through the files with a verdict, newest first")
    func list() async throws {
        try await TestServer().test { client in
            var ids: [String] = []
            for number in 0..<5 {
                ids.append(try await upload(client, "\(number).jpg"))
                _ = try await client.send("POST", "/1.1/files/\(ids[number])/censor", nil, Who.master.headers)
            }
            _ = try await upload(client, "unchecked.jpg")
            var seen: [String] = []
            var cursor = ""
            repeat {
                let path = "/1.1/censorship?limit=2&verdict=passed&cursor=\(cursor)"
                let page = try await client.send("GET", path, nil, Who.master.headers).json()
                for file in page["results"]?.arrayValue ?? [] {
                    seen.append(file.objectValue?["objectId"]?.stringValue ?? "")
                    #expect(file.objectValue?["thumbnailURL"]?.stringValue?.contains("imageView2") == true)
                }
                cursor = page["cursor"]?.stringValue ?? ""
            } while !cursor.isEmpty
            #expect(seen == ids.reversed())
        }
    }
}

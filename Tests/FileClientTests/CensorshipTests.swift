import Support
import Testing

@testable import FileClient

@Suite(.timeLimit(.minutes(5))) struct CensorshipTests {
    @Test("each call has its method, path and body")
    func requests() async throws {
        let server = try ScriptedServer { request, _ in .json(CensorshipTests.answer(to: request)) }
        defer { server.close() }
        let client = server.client()
        #expect(try await client.censor("f1") == .review)
        #expect(try await client.setVerdict(.rejected, of: "f1", note: "n", by: "me").censorResult == .passed)
        _ = try await client.setVerdict(.passed, of: "f1")
        #expect(try await client.censorState(of: "f1").objectId == "f1")
        #expect(try await client.censorStatus().waiting.bulk == 2)
        #expect(try await client.censorSettings() == ["auto": .bool(true)])
        _ = try await client.changeCensorSettings(["blockedImage": .null], by: "me")
        #expect(try await client.startCensorRun(from: "a", to: "b", rechecking: true).state == .running)
        #expect(try await client.censorRuns().map(\.id) == ["r1"])
        #expect(try await client.censorRun("r1").total == 5)
        _ = try await client.setState(ofCensorRun: "r1", to: .cancelled)
        #expect(try await client.addKnownImages([KnownImage(pdq: "ab", note: "n")]) == 1)
        try await client.removeKnownImage("k1")
        let requests = try server.requests.map { request in
            // The order of members is not specified.
            let body = request.body.isEmpty ? "" : try JSON(parsing: request.body).description
            return "\(request.method) \(request.path) \(body)"
        }
        #expect(
            requests == [
                "POST /1.1/files/f1/censor ",
                #"PUT /1.1/files/f1/censor {"by":"me","note":"n","verdict":"rejected"}"#,
                #"PUT /1.1/files/f1/censor {"verdict":"passed"}"#, "GET /1.1/files/f1/censor ",
                "GET /1.1/censorship/status ", "GET /1.1/censorship/settings ",
                #"PUT /1.1/censorship/settings {"blockedImage":null,"by":"me"}"#,
                #"POST /1.1/censorship/jobs {"from":"a","recheck":true,"to":"b"}"#, "GET /1.1/censorship/jobs ",
                "GET /1.1/censorship/jobs/r1 ", #"PUT /1.1/censorship/jobs/r1 {"state":"cancelled"}"#,
                #"POST /1.1/censorship/known {"images":[{"note":"n","pdq":"ab"}]}"#,
                "DELETE /1.1/censorship/known/k1 ",
            ]
        )
    }

    @Test("lists send the parameters that have values, and pages follow by the cursor")
    func pages() async throws {
        let server = try ScriptedServer { request, number in
            let cursor = number == 1 ? #","cursor":"c&1""# : ""
            return .json(#"{"results":[{"objectId":"f\#(number)","censorResult":null}]\#(cursor)}"#)
        }
        defer { server.close() }
        var query = ReviewQuery()
        query.verdict = .review
        query.from = "2026-11-21T00:00:00.000Z"
        let first = try await server.client().reviewList(query)
        #expect(first.results.map(\.objectId) == ["f1"])
        let second = try await server.client().reviewList(query, cursor: first.cursor)
        #expect(second.cursor == nil)
        let path = "/1.1/censorship?verdict=review&from=2026-11-21T00%3A00%3A00.000Z&limit=50"
        #expect(server.requests.map(\.path) == [path, path + "&cursor=c%261"])
    }

    @Test("known images are sent in requests of at most 1000")
    func batches() async throws {
        let server = try ScriptedServer { request, _ in
            .json(#"{"added":\#(request.body.count(where: { $0 == UInt8(ascii: "{") }) - 1)}"#)
        }
        defer { server.close() }
        let images = (0..<2001).map { KnownImage(sha256: "\($0)") }
        #expect(try await server.client().addKnownImages(images) == 2001)
        #expect(server.requests.count == 3)
        #expect(try await server.client().addKnownImages([]) == 0)
        #expect(server.requests.count == 3)
    }

    @Test("a thumbnail is requested as PNG from the server of the client, without keys")
    func thumbnail() async throws {
        let server = try ScriptedServer { _, _ in ScriptedReply(body: [1, 2, 3]) }
        defer { server.close() }
        var state = CensorState(objectId: "f1", censorResult: .review)
        #expect(try await server.client().thumbnailPNG(of: state) == nil)
        state.thumbnailURL = "https://other.example/1.1/censorship/files/a/f1/9/ab?imageView2/2/w/300/h/300"
        #expect(try await server.client().thumbnailPNG(of: state) == [1, 2, 3])
        let request = try #require(server.requests.first)
        #expect(request.path == "/1.1/censorship/files/a/f1/9/ab?imageView2/2/w/300/h/300/format/png")
        #expect(request.headers["x-lc-key"] == nil)
    }

    @Test("a state without values has none, and unknown verdicts are no answer of this server")
    func states() async throws {
        let server = try ScriptedServer { _, number in
            .json(number == 1 ? #"{"objectId":"f","censorResult":null}"# : #"{"censorResult":"perhaps"}"#)
        }
        defer { server.close() }
        let state = try await server.client().censorState(of: "f")
        #expect(state == CensorState(objectId: "f", censorResult: nil))
        let error = await #expect(throws: FileClientError.self) { try await server.client().censor("f") }
        #expect(error?.kind == .unexpectedAnswer)
    }

    private static func answer(to request: ReceivedRequest) -> String {
        let run = """
            {"id":"r1","state":"running","from":"a","to":"b","recheck":true,"total":5,"examined":4,"queued":3,
            "decided":2,"passed":1,"review":1,"rejected":0,"createdAt":"a","updatedAt":"b"}
            """
        switch (request.method, request.path) {
        case ("POST", "/1.1/files/f1/censor"): return #"{"censorResult":"review"}"#
        case ("GET", "/1.1/censorship/status"):
            return """
                {"auto":true,"hold":false,"classifier":{"available":false,"reason":"no model"},"webhook":false,
                "purge":false,"waiting":{"new":1,"bulk":2},"oldestSeconds":null,"known":4}
                """
        case ("GET", "/1.1/censorship/settings"), ("PUT", "/1.1/censorship/settings"): return #"{"auto":true}"#
        case ("GET", "/1.1/censorship/jobs"): return #"{"results":[\#(run)]}"#
        case (_, let path) where path.hasPrefix("/1.1/censorship/jobs"): return run
        case (_, let path) where path.hasPrefix("/1.1/censorship/known"): return #"{"added":1}"#
        default: return #"{"objectId":"f1","censorResult":"passed"}"#
        }
    }
}

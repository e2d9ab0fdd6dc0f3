import Dispatch
import Domain
import HTTPTypes
import NIOCore
import Synchronization
import Testing

@testable import HTTPAPI

@Suite struct BodyRouteTests {
    private func server(_ limits: WireLimits) -> TestServer {
        var server = TestServer()
        server.wire = limits
        return server
    }

    private let small = WireLimits(
        jsonSize: 8000,
        userJSONSize: 4000,
        guestJSONSize: 2000,
        jsonValues: 1000,
        masterJSONValues: 1000,
        batchSize: 300,
        bodyMemory: 1 << 20
    )

    /// An object whose text has so many bytes.
    private func object(of size: Int) -> String {
        #"{"a":"\#(String(repeating: "x", count: size - 8))"}"#
    }

    @Test("a guest, a user and the master key have limits of their own, which refusals name")
    func limits() async throws {
        try await server(small).test { client in
            let user = try await client.send("POST", "/1.1/users", #"{"username":"u","password":"p"}"#).json()
            var asUser = Who.client.headers
            asUser[.known("X-LC-Session")] = try #require(user["sessionToken"]?.stringValue)
            let callers = [
                (Who.client.headers, 2000, "http.maxGuestJsonSize"), (asUser, 4000, "http.maxUserJsonSize"),
                (Who.master.headers, 8000, "http.maxJsonSize"),
            ]
            for (headers, limit, setting) in callers {
                let taken = try await client.send("POST", "/1.1/classes/Task", object(of: limit), headers)
                #expect(taken.status == .created)
                let refused = try await client.send("POST", "/1.1/classes/Task", object(of: limit + 1), headers)
                #expect(refused.status == .contentTooLarge)
                let message = "The request body is larger than \(limit) bytes, the limit (\(setting))."
                #expect(try refused.json() == ["code": .integer(413), "error": .string(message)])
            }
        }
    }

    @Test(
        "a compressed body is refused by the header, not as malformed JSON",
        arguments: [("gzip", false), ("identity, BR", false), ("zstd", false), ("identity", true), ("utf-8", true)]
    )
    func coding(text: String, isRead: Bool) async throws {
        try await server(small).test { client in
            var headers = Who.client.headers
            headers[.contentEncoding] = text
            let batch = #"{"requests":[{"method":"POST","path":"/1.1/classes/Task","body":{}}]}"#
            for (path, body) in [("/1.1/classes/Task", "{}"), ("/1.1/batch", batch)] {
                let response = try await client.send("POST", path, body, headers)
                #expect(response.status.kind == (isRead ? .successful : .clientError), "\(response.text)")
                guard !isRead else { continue }
                #expect(try response.json()["code"] == .integer(107))
                #expect(response.text.contains("Content-Encoding"))
            }
        }
    }

    @Test("too many values are refused, in a body and in the item of a batch that has them")
    func values() async throws {
        try await server(small).test { client in
            let many = #"{"a":[\#(Array(repeating: "1", count: 999).joined(separator: ","))]}"#
            let refused = try await client.send("POST", "/1.1/classes/Task", many, Who.master.headers)
            #expect(refused.status == .contentTooLarge)
            #expect(refused.text.contains("1000 values, the limit (http.maxJsonValues)"))
            let items = ["{}", many].map { #"{"method":"POST","path":"/1.1/classes/Task","body":\#($0)}"# }
            let batch = #"{"requests":[\#(items.joined(separator: ","))]}"#
            let answer = try await client.send("POST", "/1.1/batch", batch, Who.master.headers)
            let codes = try codes(in: answer)
            #expect(codes == [nil, .integer(413)])
        }
    }

    @Test("more memory than one sender has is 413, because trying again does not help, and free again afterwards")
    func memory() async throws {
        var limits = small
        limits.bodyMemory = 8000
        try await server(limits).test { client in
            // One guest has a quarter, and a text and its values count.
            let refused = try await client.send("POST", "/1.1/classes/Task", object(of: 1500))
            #expect(refused.status == .contentTooLarge)
            #expect(try refused.json()["code"] == .integer(413))
            for _ in 0..<20 {
                #expect(try await client.send("POST", "/1.1/classes/Task", object(of: 600)).status == .created)
            }
        }
    }

    @Test("reads of a batch whose replies take more memory than a guest has are refused as replies, not as a body")
    func memoryOfReplies() async throws {
        var limits = small
        limits.bodyMemory = 100_000
        try await server(limits).test { client in
            for _ in 0..<10 {
                #expect(try await client.send("POST", "/1.1/classes/Task", object(of: 1500)).status == .created)
            }
            // One guest has a quarter: enough for one of the replies.
            let read = #"{"method":"GET","path":"/1.1/classes/Task"}"#
            let answer = try await client.send("POST", "/1.1/batch", #"{"requests":[\#(read),\#(read)]}"#)
            #expect(try codes(in: answer) == [nil, .integer(1)])
            #expect(answer.text.contains("The replies of the batch take more memory"))
            #expect(answer.text.contains("http.bodyMemory"))
        }
    }

    @Test("changes whose replies take more memory than a guest has are made, and answered without fields")
    func memoryOfChanges() async throws {
        var limits = small
        (limits.jsonSize, limits.guestJSONSize) = (20_000, 20_000)
        limits.bodyMemory = 160_000
        try await server(limits).test { client in
            let new = #"{"o":{"a":"\#(String(repeating: "x", count: 15_000))"}}"#
            let made = try await client.send("POST", "/1.1/classes/Task", new).json()
            let id = try #require(made["objectId"]?.stringValue)
            func requests(_ count: Int) -> String {
                let items = (0..<count).map { number in
                    let body = #"{"__internalId":"k\#(number)","o.b":{"__op":"Increment","amount":1}}"#
                    return #"{"method":"PUT","path":"/1.1/classes/Task/\#(id)","body":\#(body),"params":{"new":1}}"#
                }
                return #"{"requests":[\#(items.joined(separator: ","))]}"#
            }
            // One guest has a quarter: not enough for all of the replies.
            let answer = try await client.send("POST", "/1.1/batch", requests(8))
            #expect(try codes(in: answer) == Array(repeating: nil, count: 8))
            #expect(answer.text.ranges(of: "objectId").count == 8)
            #expect((1..<8).contains(answer.text.ranges(of: "xxx\"").count))
            for (count, shows) in [(1, true), (8, false)] {
                let saved = try await client.send("POST", "/1.1/batch/save", requests(count)).json()
                #expect(saved.count == count)
                #expect(saved.values.allSatisfy { $0.objectValue?["objectId"] == .string(id) })
                #expect(saved.values.allSatisfy { ($0.objectValue?["o"] != nil) == shows })
            }
            let stored = try await client.send("GET", "/1.1/classes/Task/\(id)").json()
            #expect(stored["o"]?.objectValue?["b"] == .integer(17))
        }
    }

    @Test("a tunnelled body is looked into only behind authentication")
    func tunnel() async throws {
        try await server(small).test { client in
            // Its values are refused: a member stands twice, a number is too large.
            for fault in [#""a":1,"a":2"#, #""a":1e999"#] {
                let text = { (key: String) in #"{"_ApplicationId":"app","_ApplicationKey":"\#(key)",\#(fault)}"# }
                let path = "/1.1/classes/Task"
                let stranger = try await client.send("POST", path, text("nobody's"), [.contentType: "text/plain"])
                #expect(stranger.status == .unauthorized)
            }
        }
    }

    @Test("a batch of many groups is answered in order, each request for itself")
    func groups() async throws {
        try await server(WireLimits()).test { client in
            let items = (0..<250).map { index in
                index % 100 == 99
                    ? #"{"method":"POST","path":"/1.1/classes/Task","body":{"n":1,"n":2}}"#
                    : #"{"method":"POST","path":"\/1.1\/classes\/Task","body":{"n":\#(index)},"new":true}"#
            }
            let batch = #"{"x":[{}],"requests":[\#(items.joined(separator: " , "))],"y":1}"#
            let answer = try await client.send("POST", "/1.1/batch", batch)
            let codes = try codes(in: answer)
            #expect(codes.count == 250)
            for (index, code) in codes.enumerated() { #expect(code == (index % 100 == 99 ? .integer(107) : nil)) }
            let found = try await client.send("GET", "/1.1/classes/Task?limit=0&count=1").json()
            #expect(found["count"] == .integer(248))
        }
    }

    @Test("a batch of more requests than the limit is refused")
    func batchSize() async throws {
        try await server(small).test { client in
            let batch = #"{"requests":[\#(Array(repeating: "{}", count: 301).joined(separator: ","))]}"#
            let refused = try await client.send("POST", "/1.1/batch", batch)
            #expect(refused.status == .contentTooLarge)
            #expect(refused.text.contains("300 requests, the limit (http.maxBatchSize)"))
        }
    }

    @Test("a batch of many groups that sets too many passwords is refused before anything is done")
    func passwords() async throws {
        try await server(WireLimits()).test { client in
            for path in ["/1.1/users", #"\/1.1\/classes\/_User"#, "/1.1/%75sers"] {
                let items = (0..<101).map {
                    #"{"method":"POST","path":"\#(path)","body":{"username":"u\#($0)","password":"p"}}"#
                }
                let other = #"{"method":"POST","path":"/1.1/classes/Task","body":{}}"#
                let batch = #"{"requests":[\#(([other] + items).joined(separator: ","))]}"#
                let refused = try await client.send("POST", "/1.1/batch", batch)
                #expect(refused.status == .badRequest)
                #expect(refused.text.contains("more than 100 passwords"))
            }
            let found = try await client.send("GET", "/1.1/classes/Task?limit=0&count=1")
            #expect(found.status == .notFound)
        }
    }

    @Test(
        "a body that is no batch is refused",
        arguments: [
            "", "{}", "[]", "1", #"{"requests":{}}"#, #"{"requests":null}"#, #"{"requests":[]"#, #"{"requests":[{]}"#,
            #"{"requests":[],"requests":[]}"#, #"{"requests":[{}],"#, #"{"requests":[{} {}]}"#, #"{"requests":[{}]}x"#,
        ]
    )
    func noBatch(text: String) async throws {
        try await server(WireLimits()).test { client in
            for path in ["/1.1/batch", "/1.1/batch/save"] {
                let refused = try await client.send("POST", path, text)
                #expect(refused.status == .badRequest)
                #expect(try refused.json()["code"] == .integer(107))
            }
        }
    }

    @Test("large bodies are worked on elsewhere, small ones are not")
    func threads() async throws {
        let executor = CountingExecutor()
        var server = server(WireLimits())
        server.largeBodies = executor
        try await server.test { client in
            let small = try await client.send("POST", "/1.1/classes/Task", object(of: 60_000))
            #expect(small.status == .created)
            #expect(executor.count == 0)
            let large = try await client.send("POST", "/1.1/classes/Task", object(of: 70_000))
            #expect(large.status == .created)
            #expect(executor.count > 0)
        }
    }

    private func codes(in answer: TestResponse) throws -> [JSONValue?] {
        #expect(answer.status == .ok)
        let items = try #require(try JSONValue(parsing: Array(answer.body.readableBytesView), field: "").arrayValue)
        return items.map { $0.objectValue?["error"]?.objectValue?["code"] }
    }
}

/// Runs jobs on threads of Dispatch and counts them.
private final class CountingExecutor: TaskExecutor {
    private let jobs = Atomic(0)

    var count: Int { jobs.load(ordering: .relaxed) }

    func enqueue(_ job: consuming ExecutorJob) {
        jobs.add(1, ordering: .relaxed)
        let job = UnownedJob(job)
        DispatchQueue.global().async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

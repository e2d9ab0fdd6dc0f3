import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// JSON files that contain the keywords of an old SDK, which are streamed and not collected in memory.
@Suite struct LegacyUploadBodyTests {
    /// A guest has a quarter of the memory for bodies, less than the limit of one body, so that a file that is collected is refused.
    private var server: TestServer {
        var server = TestServer()
        server.wire = WireLimits(jsonSize: 256 << 10, bodyMemory: 512 << 10)
        return server
    }

    @Test(
        "a JSON file is stored, whose beginning or announced size says that no old SDK sent it",
        arguments: [
            (#"{"id":1,"url":"https://example.com""#, 200 << 10),
            (#"{"url":"https://example.com","a":{"b":[]}"#, 200 << 10),
            (#"{"url":"https://example.com""#, 300 << 10), (#"{"base64":"aGk=""#, 300 << 10),
        ]
    )
    func file(start: String, size: Int) async throws {
        try await server.test { client in
            let text = #"\#(start),"name":"\#(String(repeating: "x", count: size))"}"#
            let record = try await client.upload("a.json", text, as: "application/json")
            let key = try #require(record["key"]?.stringValue)
            let file = try await client.send("GET", "/\(key)", nil, [:])
            #expect(file.text == text)
        }
    }

    @Test("the Base64 of an old SDK is decoded, also if it is longer than the checked beginning")
    func base64() async throws {
        try await server.test { client in
            let digits = String(repeating: "YWFh", count: 10_000)
            let record = try await client.upload("a.txt", #"{"base64":"\#(digits)"}"#, as: "application/json")
            let key = try #require(record["key"]?.stringValue)
            let file = try await client.send("GET", "/\(key)", nil, [:])
            #expect(file.text == String(repeating: "aaa", count: 10_000))
        }
    }
}

import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite struct ParameterWarningTests {
    @Test(
        "an unknown parameter that resembles a known one is named with it",
        arguments: [
            ("wher=%7B%7D", ["unknown parameter 'wher'; did you mean 'where'?"]),
            (
                "limt=1&where=%7B%7D&skp=2",
                [
                    "unknown parameter 'limt'; did you mean 'limit'?", "unknown parameter 'skp'; did you mean 'skip'?",
                ]
            ),
            (
                "wher=1&skp=2&wher=3",
                ["unknown parameter 'wher'; did you mean 'where'?", "unknown parameter 'skp'; did you mean 'skip'?"]
            ),
            ("Where", ["unknown parameter 'Where'; did you mean 'where'?"]),
            ("returnAcl=true", ["unknown parameter 'returnAcl'; did you mean 'returnACL'?"]),
            ("where=%7B%7D&order=a&limit=1&skip=0&count=1&keys=a&include=b&returnACL=1", []),
            ("fetchWhenSave=true&new=true&scan_key=a&cursor=b&cql=c&pvalues=d&explain=1", []),
            ("_t=1764000000&v=3&timestamp=1&session_token=x&access_token=y&=&&", []), ("", []),
        ] as [(String, [String])]
    )
    func warnings(query: String, expected: [String]) {
        #expect(ParameterWarnings.warnings(about: query) == expected)
    }

    @Test("a name with characters that a header cannot have is not repeated")
    func hostileNames() {
        for name in ["wher%0d%0aX-Evil:1", "wher'", "wher ", "whére", String(repeating: "w", count: 100)] {
            #expect(ParameterWarnings.warnings(about: "\(name)=1").isEmpty)
        }
    }

    @Test("a query of many misspelt names has five warnings")
    func bound() {
        let query = ["wher", "here", "whre", "whee", "were", "wherr", "limt"].map { "\($0)=1" }.joined(separator: "&")
        #expect(ParameterWarnings.warnings(about: query).count == 5)
    }

    @Test("of many unknown names only the first are compared")
    func compared() {
        let unknown = (0..<19).map { "zzzzzz\($0)=1&" }.joined()
        #expect(ParameterWarnings.warnings(about: unknown + "wher=1").count == 1)
        #expect(ParameterWarnings.warnings(about: unknown + "zzzzzz=1&wher=1").isEmpty)
    }

    @Test("scripts of other origins can read the header, and no other client is told so")
    func exposed() async throws {
        try await TestServer().test { client in
            let path = "/1.1/classes/Task?wher=%7B%7D"
            let exposing = HTTPField.Name.accessControlExposeHeaders
            let origin: HTTPFields = [.origin: "https://a.example"]
            let answer = try await client.send("GET", path, nil, Who.client.headers + origin)
            #expect(answer.headers[exposing]?.contains(ParameterWarnings.field.rawName) == true)
            #expect(try await client.send("GET", path, nil, Who.client.headers).headers[exposing] == nil)
        }
    }

    @Test("answers about objects have the header, also without a result, and others do not")
    func header() async throws {
        try await TestServer().test { client in
            let key = Who.client.headers
            let field = ParameterWarnings.field
            _ = try await client.send("POST", "/1.1/classes/Task", #"{"n":1}"#, key)
            let answer = try await client.send("GET", "/1.1/classes/Task?wher=%7B%7D", nil, key)
            #expect(answer.status == .ok)
            #expect(answer.headers[field] == "unknown parameter 'wher'; did you mean 'where'?")
            #expect(try await client.send("GET", "/1.1/classes/Task?where=%7B%7D", nil, key).headers[field] == nil)
            #expect(try await client.send("GET", "/1.1/files?limt=1", nil, key).headers[field] != nil)
            #expect(try await client.send("GET", "/1.1/date?wher=1", nil, key).headers[field] == nil)
        }
    }
}

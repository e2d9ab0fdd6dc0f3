import Domain
import HTTPTypes
import HummingbirdCore
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

    @Test(
        "misspelt parameters of the requests of a batch are named with the first request that has them",
        arguments: ["/1.1/batch", "/1.1/batch/save"]
    )
    func batches(path: String) async throws {
        try await TestServer().test { client in
            let body = """
                {"requests":[{"method":"POST","path":"/1.1/classes/Task","body":{"__internalId":"a"}},
                {"method":"POST","path":"/1.1/classes/Task","body":{"__internalId":"b"},"params":{"fetchWhenSav":true}},
                {"method":"POST","path":"/1.1/classes/Task?wher=1&limt=1","body":{"__internalId":"c"}},
                {"method":"POST","path":"/1.1/classes/Task?wher=2","body":{"__internalId":"d"},"params":{"wher":{}}}]}
                """
            let answer = try await client.send("POST", "\(path)?skp=1", body, Who.client.headers)
            #expect(
                answer.headers[values: ParameterWarnings.field] == [
                    "requests[1]: unknown parameter 'fetchWhenSav'; did you mean 'fetchWhenSave'?",
                    "requests[2]: unknown parameter 'limt'; did you mean 'limit'?",
                    "requests[2]: unknown parameter 'wher'; did you mean 'where'?",
                    "unknown parameter 'skp'; did you mean 'skip'?",
                ]
            )
        }
    }

    @Test("a batch of many misspelt names has five warnings, and only the first names are compared")
    func batchBound() {
        var warnings = BatchWarnings()
        for number in 0..<15 { warnings.add(ObjectParameters(json: ["zzzzzzzzz\(number)": .null])) }
        warnings.add(nil)
        let names = ["here", "keyss", "limt", "ordr", "skp", "wher"]
        warnings.add(ObjectParameters(json: Dictionary(uniqueKeysWithValues: names.map { ($0, .null) })))
        let answer = warnings.added(to: JSONValue.object([:]).response())
        let lines = answer.headers[values: ParameterWarnings.field]
        #expect(lines.count == 5)
        #expect(lines.allSatisfy { $0.hasPrefix("requests[16]: ") })
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

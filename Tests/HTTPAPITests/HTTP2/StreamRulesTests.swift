import HTTPTypes
import NIOHTTP1
import Testing

@testable import HTTPAPI

@Suite struct StreamRulesTests {
    private func request(
        _ method: HTTPRequest.Method = .get,
        authority: String? = "a.example:8443",
        path: String? = "/a",
        _ fields: HTTPFields = [:]
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: authority, path: path)
        request.headerFields = fields
        return request
    }

    @Test(
        "the path has the form of a target",
        arguments: [
            ("/", true), ("/a/b.jpg?imageView2/1/w/9", true), ("/%E6%96%87", true), ("/文", true), ("", false),
            ("a", false), ("*", false), ("/a b", false), ("/a\tb", false), ("/a\r\nb", false), ("/a\u{7f}b", false),
            ("https://a.example/", false),
        ]
    )
    func path(path: String, isAccepted: Bool) {
        let status = Result { try StreamRules.check(request(path: path)) }.refusal?.status
        #expect(status == (isAccepted ? nil : .badRequest))
    }

    @Test("an asterisk is the target of OPTIONS alone", arguments: [(HTTPRequest.Method.options, true), (.get, false)])
    func asterisk(method: HTTPRequest.Method, isAccepted: Bool) {
        #expect(((try? StreamRules.check(request(method, path: "*"))) != nil) == isAccepted)
    }

    @Test("a request without a path is refused")
    func noPath() {
        #expect(throws: RequestRefusal.self) { try StreamRules.check(request(path: nil)) }
    }

    @Test(
        "exactly one host is named",
        arguments: [
            ("a.example", [], "a.example"), (nil, ["a.example"], "a.example"),
            ("a.example", ["a.example"], "a.example"),
            (nil, ["a", "a"], "a"), (nil, [], nil), ("a", ["b"], nil), ("", [], nil), ("a b", [], nil),
            ("a/b", [], nil), ("user@a", [], nil),
        ] as [(String?, [String], String?)]
    )
    func host(authority: String?, hosts: [String], accepted: String?) {
        var fields = HTTPFields()
        for host in hosts { fields.append(HTTPField(name: .init("Host")!, value: host)) }
        let head = try? StreamRules.check(request(authority: authority, fields))
        #expect(head?.authority == accepted)
    }

    @Test("routes see no Host field and the scheme of the connection")
    func normalForm() throws {
        let head = try StreamRules.check(request(authority: nil, [.init("Host")!: "a"]))
        #expect(head.headerFields.isEmpty)
        #expect(head.scheme == "https")
    }

    @Test(
        "a length is one number",
        arguments: [(["5"], true), (["0"], true), (["+5"], false), (["5", "5"], false), ([""], false), (["5 "], true)]
    )
    func length(lengths: [String], isAccepted: Bool) {
        var fields = HTTPFields()
        for length in lengths { fields.append(HTTPField(name: .contentLength, value: length)) }
        #expect(((try? StreamRules.check(request(.post, fields))) != nil) == isAccepted)
    }

    @Test("CONNECT is not implemented")
    func connect() {
        #expect(Result { try StreamRules.check(request(.connect)) }.refusal?.status == .notImplemented)
    }

    @Test("too many fields are refused", arguments: [(1000, true), (1001, false)])
    func fields(count: Int, isAccepted: Bool) {
        var fields = HTTPFields()
        for number in 0..<count { fields.append(HTTPField(name: .init("x-\(number)")!, value: "1")) }
        let status = Result { try StreamRules.check(request(.get, fields)) }.refusal?.status
        #expect(status == (isAccepted ? nil : .requestHeaderFieldsTooLarge))
    }
}

extension Result {
    fileprivate var refusal: RequestRefusal? {
        guard case .failure(let error) = self else { return nil }
        return error as? RequestRefusal
    }
}

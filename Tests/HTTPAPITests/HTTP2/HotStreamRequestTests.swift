import HTTPTypes
import Testing

@testable import HTTPAPI

@Suite struct HotStreamRequestTests {
    private func simple(
        _ method: HTTPRequest.Method = .get,
        _ fields: HTTPFields = [:],
        noting field: TrustedProxies.Field? = nil
    ) -> SimpleRequest? {
        var request = HTTPRequest(method: method, scheme: "https", authority: "a", path: "/a.jpg")
        request.headerFields = fields
        return SimpleRequest(request, noting: field)
    }

    @Test("a plain GET or HEAD can have a prepared response", arguments: [HTTPRequest.Method.get, .head])
    func plain(method: HTTPRequest.Method) {
        let request = simple(method, [.userAgent: "a", .accept: "*/*", .acceptEncoding: "gzip"])
        #expect(request == SimpleRequest(isHead: method == .head, target: "/a.jpg", tags: nil, length: 0))
    }

    @Test("a target that is not ASCII goes to the route, as its equivalent ones can be other files")
    func unicode() {
        let request = HTTPRequest(method: .get, scheme: "https", authority: "a", path: "/\u{e9}")
        #expect(SimpleRequest(request, noting: nil) == nil)
    }

    @Test("other methods go to their routes", arguments: [HTTPRequest.Method.post, .put, .delete, .options])
    func methods(method: HTTPRequest.Method) {
        #expect(simple(method) == nil)
    }

    @Test(
        "fields on which the response depends go to the route",
        arguments: [
            HTTPField.Name.range, .ifRange, .ifMatch, .ifModifiedSince, .ifUnmodifiedSince, .expect, .trailer,
            .contentLength,
        ]
    )
    func conditions(name: HTTPField.Name) {
        #expect(simple(.get, [name: "0"]) == nil)
    }

    @Test("If-None-Match is one list")
    func tags() {
        #expect(simple(.get, [.ifNoneMatch: "\"a\", \"b\""])?.tags == "\"a\", \"b\"")
        var two = HTTPFields()
        two.append(HTTPField(name: .ifNoneMatch, value: "\"a\""))
        two.append(HTTPField(name: .ifNoneMatch, value: "\"b\""))
        #expect(simple(.get, two) == nil)
    }

    @Test("only the field of the trusted proxies names the client")
    func forwarded() {
        let fields: HTTPFields = [.init("X-Forwarded-For")!: "192.0.2.1", .init("Forwarded")!: "for=192.0.2.2"]
        #expect(simple(.get, fields)?.forwarded == [])
        #expect(simple(.get, fields, noting: .xForwardedFor)?.forwarded == ["192.0.2.1"])
        #expect(simple(.get, fields, noting: .forwarded)?.forwarded == ["for=192.0.2.2"])
    }
}

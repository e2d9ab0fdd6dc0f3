import HTTPTypes
import NIOHTTP1
import Testing

@testable import HTTPAPI

@Suite struct RequestGroupTests {
    @Test(
        "the target decides about the group",
        arguments: [
            ("GET", "/a/b.jpg", RequestGroup.files), ("GET", "/a.jpg?attname=x.jpg", .files), ("GET", "/", .files),
            ("GET", "/a.jpg?imageView2/1/w/9", .images), ("GET", "/a.jpg?nonsense", .images),
            ("GET", "/a.jpg?imageView2%2F1&v=1", .images), ("GET", "/a.jpg?v%3D1", .files), ("GET", "/a.jpg?", .files),
            ("GET", "/a.jpg?imageView2%2F1=&v=1", .images), ("GET", "/a.jpg?v=", .files),
            ("GET", "/a.jpg-small", .images), ("GET", "http://host/a.jpg?imageInfo", .images),
            ("GET", "http://host/1.1/classes/A", .objects), ("GET", "/1.1/files/abc/content", .files),
            ("POST", "/1.1/files/a.jpg", .uploads), ("POST", "/1/files", .uploads), ("GET", "/1.1/files/abc", .objects),
            ("DELETE", "/1.1/files/abc", .objects), ("PUT", "/1.1/files/abc/censor", .censorship),
            ("POST", "/1.1/files/abc/url", .objects), ("POST", "/1.1/files/url", .uploads),
            ("PATCH", "/1.1/uploads/token", .uploads), ("PUT", "/1.1/upload/token/a", .uploads),
            ("POST", "/1.1/fileTokens", .uploads), ("POST", "/1.1/batch", .objects), ("GET", "/1.1/users/me", .users),
            ("POST", "/1.1/login", .users), ("GET", "/v1/ws?x=1", .live), ("GET", "/v1/other", .files),
            ("POST", "/1.1/LiveQuery/subscribe", .live), ("GET", "/1.1/schemas", .administration),
            ("GET", "/health?live", .health), ("GET", "/health/a", .files), ("GET", "/1.1/nonsense", .other),
            ("GET", "/1.1", .other), ("OPTIONS", "*", .files), ("POST", "/1.1/statuses", .objects),
            ("GET", "/console/scripts/start.js", .console), ("POST", "/console/api/1.1/classes/A", .console),
            ("GET", "/1.1/console/sessions", .administration), ("GET", "/1.1/subscribe/statuses", .objects),
            ("POST", "/1.1/users/a/friendship/b", .users), ("GET", "/1.1/nestedRoles", .users),
        ]
    )
    func group(method: String, target: String, group: RequestGroup) {
        let method = RequestMethod(HTTPMethod(rawValue: method))
        #expect(RequestGroup(target: target, method) { $0.hasSuffix("-small") } == group)
    }

    @Test("invented methods count as one", arguments: ["PROPFIND", "get", "X"])
    func method(name: String) {
        #expect(RequestMethod(HTTPMethod(rawValue: name)).label == "other")
    }

    @Test(
        "method, path and content type decide about the dialect",
        arguments: [
            ("POST", "/1.1/files", "multipart/form-data; boundary=b", UploadDialect.form),
            ("POST", "/1.1/files/a.txt", "text/html", .raw), ("POST", "/1.1/files/a.txt", "application/json", .json),
            ("POST", "/1.1/files/a.txt", "text/plain", .json), ("PUT", "/1.1/upload/t", "", .s3),
            ("POST", "/1.1/upload/t", "multipart/form-data; boundary=b", .kodoForm),
            ("POST", "/1.1/upload/t/mkblk/4", "", .kodoBlocks), ("POST", "/1.1/upload/t/bput/a/0", "", .kodoBlocks),
            ("PUT", "/1.1/upload/t/buckets/b/objects/o/uploads/u/1", "", .kodoParts),
            ("POST", "/1.1/uploads", "", .tus), ("PATCH", "/1.1/uploads/t", "", .tus),
            ("GET", "/1.1/uploads/t", "", nil),
            ("POST", "/1.1/fileTokens", "", nil), ("GET", "/a.jpg", "", nil), ("POST", "/", "", nil),
        ]
    )
    func dialect(method: String, target: String, type: String, dialect: UploadDialect?) {
        let fields: HTTPFields = type.isEmpty ? [:] : [.contentType: type]
        let method = RequestMethod(HTTPMethod(rawValue: method))
        #expect(UploadDialect(target: target, method) { fields[$0] } == dialect)
    }

    @Test("text that is sent raw has its credentials in headers")
    func rawText() {
        var fields: HTTPFields = [.contentType: "text/plain"]
        if let name = HTTPField.Name("x-lc-id") { fields[name] = "app" }
        #expect(UploadDialect(target: "/1.1/files/a.txt", .post) { fields[$0] } == .raw)
    }
}

internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Unpacks requests that old browsers and Unity send as `POST` with `Content-Type: text/plain` (file-protocol 1.3).
///
/// Method, credentials and query lie in the JSON body; what is left of it is the real body. It stands before the
/// router, because the method in the body decides the route.
struct TunnelResponder<Base: HTTPResponder<APIContext>>: HTTPResponder {
    let base: Base
    /// The most bytes of a body.
    let limit: Int

    func respond(to request: Request, context: APIContext) async throws -> Response {
        guard isTunnelled(request) else { return try await base.respond(to: request, context: context) }
        do {
            let body = try await request.body.collected(upTo: limit)
            let unpacked = try unpack(Array(body.readableBytesView), of: request)
            return try await base.respond(to: unpacked, context: context)
        } catch {
            return ErrorRenderer.response(to: error, method: request.method, context: context)
        }
    }

    /// A text file sent raw to `/files` has the same type, but brings its credentials in headers, as no tunnelled request
    /// does; anywhere else such a body is a tunnel, so that no field of it is taken for an object's.
    private func isTunnelled(_ request: Request) -> Bool {
        let path = request.uri.path.split(separator: "/")
        // What goes to an upload's address has no credentials to unpack, and Java sends it as text.
        guard request.method == .post, ["1", "1.1"].contains(path.first), path.dropFirst().first != "upload",
            request.headers[.contentType].flatMap(MediaType.init)?.description == "text/plain"
        else { return false }
        return path.dropFirst().first != "files" || HTTPField.Name.appID.allSatisfy { !request.headers.contains($0) }
    }

    private func unpack(_ body: [UInt8], of request: Request) throws -> Request {
        guard var fields = try JSONValue(parsing: body, field: "The body").objectValue else {
            throw ServiceError(.malformedJSON, "The body is not a JSON object.")
        }
        let method = fields["_method"]?.stringValue?.uppercased() ?? "POST"
        guard let method = HTTPRequest.Method(method), [.get, .post, .put, .delete].contains(method) else {
            throw ServiceError(.badRequest, "_method must be GET, POST, PUT or DELETE.")
        }
        var head = request.head
        head.method = method
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = nil
        for (field, header) in TunnelResponder.headers {
            if let text = fields.removeValue(forKey: field)?.stringValue {
                guard HTTPField.isValidValue(text) else {
                    throw ServiceError(.badRequest, "\(field) holds characters that no header may have.")
                }
                head.headerFields[header] = text
            }
        }
        for field in ["_method", "_ClientVersion", "_InstallationId"] { fields[field] = nil }
        guard method == .get else {
            let rest = JSONValue.object(fields).encoded()
            return Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: rest)))
        }
        head.path = request.uri.path + "?" + query(of: fields)
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    }

    private func query(of fields: [String: JSONValue]) -> String {
        fields.map { name, value in
            let text = value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self)
            return "\(name.percentEncodedPath)=\(text.percentEncodedPath)"
        }.joined(separator: "&")
    }

    private static var headers: [(String, HTTPField.Name)] {
        [
            ("_ApplicationId", .known("X-LC-Id")),
            ("_ApplicationKey", .known("X-LC-Key")),
            ("_MasterKey", .known("X-AVOSCloud-Master-Key")),
            ("_SessionToken", .known("X-LC-Session")),
            ("_ApplicationProduction", .known("X-LC-Prod")),
        ]
    }
}

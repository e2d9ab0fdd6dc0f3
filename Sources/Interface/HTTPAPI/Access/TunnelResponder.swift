internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Unpacks requests that old browsers and Unity send as `POST` with `Content-Type: text/plain` (protocol/files 1.3).
///
/// The method, the credentials and the query string are members of the JSON body; the rest is the real body. It runs
/// before the router, because the method in the body decides the route. The caller is not authenticated yet, so the
/// body is only scanned; its values are parsed after authentication.
struct TunnelResponder<Base: HTTPResponder<APIContext>>: HTTPResponder {
    let base: Base
    let bodies: RequestBodies

    /// Responds to a request that ``isTunnelled(_:)``.
    func respond(to request: Request, context: APIContext) async throws -> Response {
        do {
            let sender = context.unknownClient
            // A file as Base64 is large for every caller, and needs no memory beyond its bytes.
            let limit = isForFile(request) ? bodies.limits.largestBody : bodies.limits.bodySize(of: sender)
            let unpacked = try await bodies.text(of: request, from: sender, upTo: limit) { body in
                try unpack(body, of: request)
            }
            return try await base.respond(to: unpacked, context: context)
        } catch {
            return ErrorRenderer.response(to: error, method: request.method, context: context)
        }
    }

    /// Whether the request is tunnelled.
    ///
    /// A text file that is sent raw to `/files` has the same type, but its credentials are headers, which no tunnelled
    /// request has. On other paths such a body is always a tunnel, so that none of its fields is stored in an object.
    func isTunnelled(_ request: Request) -> Bool {
        guard request.method == .post else { return false }
        let path = request.segments
        // Requests to an upload's URL have no credentials to unpack, and Java sends them as text.
        guard ["1", "1.1"].contains(path.first), path.dropFirst().first != "upload",
            request.headers[.contentType].flatMap({ MediaType($0) })?.description == "text/plain"
        else { return false }
        return path.dropFirst().first != "files" || HTTPField.Name.appID.allSatisfy { !request.headers.contains($0) }
    }

    /// Whether the request is `POST /files/<name>`.
    private func isForFile(_ request: Request) -> Bool {
        let path = request.segments.dropFirst()
        return path.count == 2 && path.first == "files"
    }

    private func unpack(_ body: JSONBody, of request: Request) throws -> Request {
        let tunnel = try TunnelBody(body)
        let method = try tunnel.text("_method")?.uppercased() ?? "POST"
        guard let method = HTTPRequest.Method(method), [.get, .post, .put, .delete].contains(method) else {
            throw ServiceError(.badRequest, "_method must be GET, POST, PUT or DELETE.")
        }
        var head = request.head
        head.method = method
        head.headerFields[.contentType] = "application/json"
        head.headerFields[.contentLength] = nil
        for (field, header) in TunnelResponder.headers {
            guard let text = try tunnel.text(field) else { continue }
            guard HTTPField.isValidValue(text) else {
                throw ServiceError(.badRequest, "\(field) contains characters that are not allowed in a header.")
            }
            head.headerFields[header] = text
        }
        guard method == .get else {
            return Request(head: head, body: RequestBody(buffer: tunnel.rest()))
        }
        head.path = request.uri.path + "?" + (try tunnel.query())
        return Request(head: head, body: RequestBody(buffer: ByteBuffer()))
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

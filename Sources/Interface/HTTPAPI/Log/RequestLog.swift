internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Records every request at the end of its response, and sends the client the request's id in the log.
///
/// Query strings, headers, the token in the path of an upload or of a link in a mail, the signature in the path of a
/// preview, and the code of an SMS are not logged, because they can contain keys.
struct RequestLog: RouterMiddleware {
    /// Receives the records; `nil` if the log has no lines for requests.
    let sink: RequestSink?
    /// The lists of failed requests of the apps.
    let failures: [AppID: RecentFailures]

    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response = try await next(request, context)
        record(&response, to: request, context, since: start)
        return response
    }

    /// Adds the request's id to a response, and records the request at the end of the response.
    func record(
        _ response: inout Response,
        to request: Request,
        _ context: APIContext,
        since start: ContinuousClock.Instant
    ) {
        response.headers[.requestID] = context.id
        if response.status.code >= 400 { note(response, of: request, context, since: start) }
        guard let sink, sink.isOpen(), let pending = PendingRecord.current else { return }
        let record = RequestRecord(
            time: .now(),
            id: context.id,
            app: context.notes.app,
            client: context.client,
            method: request.method.rawValue,
            path: request.uri.path.withoutToken,
            route: context.route,
            status: response.status.code,
            bytes: nil,
            duration: .zero,
            isComplete: false
        )
        response.body = pending.begin(record, since: start, response.body, to: sink)
    }

    /// Adds a failed request to the list of its app; without an app it is in the log only.
    private func note(
        _ response: Response,
        of request: Request,
        _ context: APIContext,
        since start: ContinuousClock.Instant
    ) {
        guard let app = context.notes.app, let failures = failures[app] else { return }
        failures.record(
            FailedRequest(
                time: .now(),
                id: context.id,
                client: "\(context.client)",
                method: request.method.rawValue,
                path: request.uri.path.withoutToken,
                status: response.status.code,
                message: context.notes.message ?? "",
                duration: start.duration(to: .now)
            )
        )
    }
}

extension APIContext {
    /// The pattern of the route; `nil` for paths without a route, to which Hummingbird gives a responder of its own.
    fileprivate var route: String? { endpointPath == "NotFound" ? nil : endpointPath }
}

extension String {
    /// A path without the token of an upload or a link and without the signature of a preview, in any spelling of the
    /// path.
    ///
    /// More people read the log than are allowed to upload, and a path without a route, such as
    /// `/1.1/./upload/<token>`, contains the token as well. So paths are interpreted as a lenient program would, and
    /// everything that can be a token is removed.
    package var withoutToken: String {
        let path = contains("%") ? lenientlyDecoded : self
        // By scalars: a slash before a combining mark is another character for Swift.
        let segments = path.unicodeScalars.split { $0 == "/" || $0 == "\\" }.map { Substring($0) }
            .filter { $0 != "." && $0 != ".." }
        guard let index = segments.indices.first(where: { String.hasToken(after: $0, segments) }), index > 0,
            segments[..<index].contains(where: { ["1", "1.1"].contains($0) })
        else { return self }
        let rest = segments[(index + 1)...].enumerated().map { offset, segment in
            offset == 0 || segment.utf8.count >= String.shortestToken ? "…" : segment
        }
        return "/" + (segments[...index] + rest).joined(separator: "/")
    }

    /// Whether a token follows a segment; `links` can be the name of a class, too.
    private static func hasToken(after index: Int, _ segments: [Substring]) -> Bool {
        switch segments[index].lowercased() {
        case "upload", "uploads": true
        case "links", "verifysmscode", "verifymobilephone", "resetpasswordbysmscode":
            index > 0 && ["1", "1.1"].contains(segments[index - 1])
        // The address of a preview shows a blocked image; its signature is the last segment.
        case "files": index > 0 && segments[index - 1].lowercased() == "censorship"
        default: false
        }
    }

    /// The path with each `%` and two digits decoded; other bytes stay unchanged.
    private var lenientlyDecoded: String {
        var decoded: [UInt8] = []
        var rest = utf8[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2, let code = UInt8(Substring(digits), radix: 16) {
                decoded.append(code)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The minimum length of a token; an objectId, which can follow a token, is shorter.
    private static let shortestToken = 32
}

extension HTTPField.Name {
    static let requestID = known("X-Request-Id")
}

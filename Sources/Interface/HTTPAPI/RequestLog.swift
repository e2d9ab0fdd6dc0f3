internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Says of every request what was asked, what was answered and how long it took; and tells the client the id under
/// which the log has it.
///
/// Queries and headers are left out: they may hold keys. So may the path of an upload: its token is left out.
struct RequestLog: RouterMiddleware {
    func handle(
        _ request: Request,
        context: APIContext,
        next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response = try await next(request, context)
        response.headers[.requestID] = context.id
        if context.logger.logLevel <= .info {
            let elapsed = start.duration(to: .now).components
            let milliseconds = elapsed.seconds * 1000 + elapsed.attoseconds / 1_000_000_000_000_000
            context.logger.info(
                "Request",
                metadata: [
                    "method": "\(request.method)",
                    "path": "\(request.uri.path.withoutToken)",
                    "status": "\(response.status.code)",
                    "ms": "\(milliseconds)",
                ]
            )
        }
        return response
    }
}

extension String {
    /// A path without the token of an upload, in whatever way the path is written.
    ///
    /// The log is read by more people than may upload: a path that no route takes, such as `/1.1/./upload/<token>`,
    /// holds the token as well. So paths are compared as a lenient program would read them, and all that may be a token
    /// goes.
    var withoutToken: String {
        let path = contains("%") ? lenientlyDecoded : self
        let segments = path.split { $0 == "/" || $0 == "\\" }.filter { $0 != "." && $0 != ".." }
        guard let index = segments.firstIndex(where: { ["upload", "uploads"].contains($0.lowercased()) }), index > 0,
            segments[..<index].contains(where: { ["1", "1.1"].contains($0) })
        else { return self }
        let rest = segments[(index + 1)...].enumerated().map { offset, segment in
            offset == 0 || segment.utf8.count >= String.shortestToken ? "…" : segment
        }
        return "/" + (segments[...index] + rest).joined(separator: "/")
    }

    /// The path with each byte that is written as `%` and two digits; what is no such byte stays.
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

    /// No token is shorter; an objectId is, as it may stand behind one.
    private static let shortestToken = 32
}

extension HTTPField.Name {
    static let requestID = known("X-Request-Id")
}

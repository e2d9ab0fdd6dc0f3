internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Logs the path, the status and the duration of every request, and sends the client the request's id in the log.
///
/// Query strings, headers and the token in the path of an upload are not logged, because they can contain keys.
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
    /// A path without the token of an upload, in any spelling of the path.
    ///
    /// More people read the log than are allowed to upload, and a path without a route, such as
    /// `/1.1/./upload/<token>`, contains the token as well. So paths are interpreted as a lenient program would, and
    /// everything that can be a token is removed.
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

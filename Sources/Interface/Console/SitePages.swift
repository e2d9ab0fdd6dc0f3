internal import Domain
internal import HTTPAPI
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The files of the console's site.
struct SitePages: Sendable {
    private let fileOrigins: [String]

    init(_ options: ConsoleOptions) {
        fileOrigins = options.fileOrigins
    }

    /// The policy of the page, for the host by which the browser knows it.
    private func policy(for request: Request) -> String {
        let images = (["'self'", "blob:", "data:"] + fileOrigins).joined(separator: " ")
        let media = (["'self'", "blob:"] + fileOrigins).joined(separator: " ")
        let own = SitePages.source(of: request.head.authority ?? "")
        return [
            "default-src 'none'", "script-src \(own)", "style-src \(own)", "img-src \(images)", "media-src \(media)",
            "connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
            "require-trusted-types-for 'script'", "trusted-types 'none'",
        ]
        .joined(separator: "; ")
    }

    /// The source of the site's scripts and styles: only `/console/`, because files of the app can have the same origin,
    /// and no file can have a key that begins with `console/`.
    ///
    /// Policies have no form for addresses of IPv6, and only 127.0.0.1 of IPv4; for the others the origin counts.
    static func source(of authority: String) -> String {
        let isName =
            !authority.isEmpty
            && authority.utf8.allSatisfy { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x3a].contains($0) }
        let isOtherAddress = authority.host != "127.0.0.1" && IPAddress(authority.host) != nil
        return isName && !isOtherAddress ? "\(authority)/console/" : "'self'"
    }

    private func headers(for request: Request) -> HTTPFields {
        [
            // A newer binary has another site; with the tag an unchanged file costs one short answer.
            .cacheControl: "no-cache",
            .contentSecurityPolicy: policy(for: request),
            .xContentTypeOptions: "nosniff",
            .console("Referrer-Policy"): "no-referrer",
            .console("Cross-Origin-Opener-Policy"): "same-origin",
            .console("Cross-Origin-Resource-Policy"): "same-origin",
            .console("X-Frame-Options"): "DENY",
            .console("Permissions-Policy"): "camera=(), geolocation=(), microphone=()",
        ]
    }

    /// The path of a site's file in the path of a request; `nil` if there is no such file.
    static func file(at path: String) -> SiteFile? {
        path.hasPrefix("/console/") ? SiteFile.all[String(path.dropFirst("/console/".count))] : nil
    }

    @Sendable func respond(_ request: Request, _ context: APIContext) async throws -> Response {
        let headers = headers(for: request)
        if request.uri.path == "/console" {
            return Response(status: .permanentRedirect, headers: headers.adding(.location, "/console/"))
        }
        guard let file = SitePages.file(at: request.uri.path) else { throw HTTPError(.notFound) }
        let tagged = headers.adding(.eTag, file.tag)
        let known = request.headers[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
        if known.contains(where: { $0.drop { $0 == " " } == file.tag }) {
            return Response(status: .notModified, headers: tagged)
        }
        var response = Response(
            status: .ok,
            headers: tagged.adding(.contentType, file.type),
            body: ResponseBody(byteBuffer: file.bytes)
        )
        if request.method == .head {
            response.body = ResponseBody()
            response.headers[.contentLength] = "\(file.bytes.readableBytes)"
        }
        return response
    }
}

extension HTTPFields {
    fileprivate func adding(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var fields = self
        fields[name] = value
        return fields
    }
}

extension HTTPField.Name {
    /// Creates a header name from a literal; an invalid name is a programming error, which the first test detects.
    static func console(_ name: String) -> HTTPField.Name {
        guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no header name") }
        return field
    }

    /// What the site sends to prove that it makes a call: ``ConsoleToken/csrf``.
    static let consoleToken = console("X-Console-Token")
    /// Tells the site why a call was refused: `ended` or `changed`.
    static let consoleSession = console("X-Console-Session")
}

internal import Domain

/// The groups of routes by which requests are counted: few, so that no client can make further series.
///
/// The target alone decides, so that requests that reach no route count too.
package enum RequestGroup: Int, Sendable, CaseIterable {
    /// Files by their URLs or by their records' ids.
    case files
    /// Images: files whose URLs have operators or name a style.
    case images
    /// Everything with which clients upload.
    case uploads
    /// Objects of all classes, batches, CQL and the records of files.
    case objects
    /// Users, roles, log-ins and sessions.
    case users
    /// Live queries: subscriptions, routes and WebSockets.
    case live
    /// Censorship.
    case censorship
    /// Classes, indexes, permissions, the trash and the state of mirrors.
    case administration
    /// Health checks.
    case health
    /// The console: its site, its log-ins, and its calls of the API.
    case console
    /// All other paths of the API.
    case other
    /// Bytes that are no request: the server does not know what the client wanted.
    case malformed

    /// - Parameters:
    ///   - target: The target of the request: a path with an optional query string, or a whole URL.
    ///   - method: The method of the request.
    ///   - isStyled: Whether a path ends with the name of a style.
    init(target: String, _ method: RequestMethod, isStyled: (String) -> Bool) {
        let target = Substring(target.utf8.prefix { $0 != UInt8(ascii: "#") }).withoutAuthority
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = target[..<end]
        // One after the other: each request needs them, and most need two.
        var segments = PathSegments(path)
        switch segments.next() {
        case "1.1", "1": self = RequestGroup.ofAPI(&segments, method)
        case "v1" where ["route", "ws"].contains(segments.next()) && segments.next() == nil: self = .live
        case "health" where segments.next() == nil, "ready" where segments.next() == nil: self = .health
        case "console": self = .console
        default:
            let hasOperators = end < target.endIndex && ImageRequest.isRequested(by: target[end...].dropFirst())
            self = hasOperators || isStyled(String(path)) ? .images : .files
        }
    }

    private static func ofAPI(_ segments: inout PathSegments, _ method: RequestMethod) -> RequestGroup {
        guard let first = segments.next() else { return .other }
        guard first == "files" else { return byName[String(first)] ?? .other }
        _ = segments.next()
        switch segments.next() {
        case "content": return .files
        case "censor": return .censorship
        case "url": return .objects
        default: return method == .post ? .uploads : .objects
        }
    }

    private static let byName: [String: RequestGroup] = [
        "classes": .objects, "batch": .objects, "cloudQuery": .objects, "scan": .objects, "installations": .objects,
        "statuses": .objects, "followers": .objects, "followees": .objects, "friendshiprequests": .objects,
        "subscribe": .objects,
        "fileTokens": .uploads, "qiniu": .uploads, "fileCallback": .uploads, "upload": .uploads, "uploads": .uploads,
        "users": .users, "roles": .users, "nestedRoles": .users, "login": .users, "logout": .users,
        "requestEmailVerify": .users, "requestPasswordReset": .users, "requestSmsCode": .users, "verifySmsCode": .users,
        "verifyMobilePhone": .users, "requestMobilePhoneVerify": .users, "requestLoginSmsCode": .users,
        "usersByMobilePhone": .users,
        "requestPasswordResetBySmsCode": .users, "resetPasswordBySmsCode": .users, "requestChangePhoneNumber": .users,
        "changePhoneNumber": .users, "requestCaptcha": .users, "verifyCaptcha": .users, "captchas": .users,
        "links": .users,
        "LiveQuery": .live, "censorship": .censorship, "schemas": .administration, "indexes": .administration,
        "permissions": .administration, "mirror": .administration, "mails": .administration,
        "sms": .administration, "trash": .administration, "console": .administration, "collections": .administration,
        "usage": .administration, "server": .administration, "changes": .administration,
    ]
}

/// The segments of a path, without empty ones.
private struct PathSegments: IteratorProtocol {
    private var rest: Substring.UTF8View

    init(_ path: Substring) {
        rest = path.utf8
    }

    mutating func next() -> Substring? {
        rest = rest.drop { $0 == UInt8(ascii: "/") }
        guard !rest.isEmpty else { return nil }
        let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
        defer { rest = rest[end...] }
        return Substring(rest[..<end])
    }
}

extension Substring {
    /// The part of a whole URL after its authority (RFC 9112 section 3.2.2); a path stays unchanged.
    fileprivate var withoutAuthority: Substring {
        guard utf8.first != UInt8(ascii: "/"), let scheme = firstRange(of: "://") else { return self }
        return self[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
    }
}

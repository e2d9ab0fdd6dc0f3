internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The rules for the head of a request of HTTP/2 before the server processes it (RFC 9113 section 8.3).
///
/// NIO has checked the form of the fields, the pseudo-header fields and the length of the body; these rules are those of
/// ``RequestRules`` that concern any version.
enum StreamRules {
    /// Checks a head.
    ///
    /// - Returns: The head as from a request of HTTP/1.1: the host is the authority, and the scheme is the connection's.
    /// - Throws: The refusal.
    static func check(_ head: HTTPRequest) throws(RequestRefusal) -> HTTPRequest {
        guard head.method != .connect else {
            throw RequestRefusal(.notImplemented, "The server is not a proxy: CONNECT is not supported.")
        }
        guard head.headerFields.count <= RequestRefusal.maxHeaders else {
            throw RequestRefusal(.headerOverflow)
        }
        guard let path = head.path, isTarget(path, head.method) else {
            throw RequestRefusal(
                .badRequest,
                "The path must begin with a slash, and have no blank and no control character."
            )
        }
        guard let host = host(of: head), HostField.isValid(host) else {
            throw RequestRefusal(
                .badRequest,
                "A request must have one host, as :authority or Host: a name or an address, optionally a port."
            )
        }
        let lengths = head.headerFields[values: .contentLength]
        guard lengths.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }), lengths.count <= 1 else {
            throw RequestRefusal(.invalidContentLength)
        }
        var head = head
        head.authority = host
        head.scheme = "https"
        if head.headerFields.contains(.host) { head.headerFields[.host] = nil }
        return head
    }

    private static func isTarget(_ path: String, _ method: HTTPRequest.Method) -> Bool {
        if path == "*" { return method == .options }
        return path.utf8.first == UInt8(ascii: "/") && path.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// The host, if all fields that name it agree.
    private static func host(of head: HTTPRequest) -> String? {
        let hosts = Set(head.headerFields[values: .host] + [head.authority].compactMap { $0 })
        return hosts.count == 1 ? hosts.first : nil
    }
}

extension HTTPField.Name {
    fileprivate static let host = known("host")
}

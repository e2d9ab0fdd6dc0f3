internal import NIOCore
internal import NIOHTTP1

/// The rules for the head of a request before the server processes it (RFC 9110, RFC 9112).
///
/// They are stricter than NIO's decoder where two programs could interpret one request differently: the length of a
/// body must be given once and in one form, or a proxy and this server could disagree where the next request begins
/// (request smuggling).
enum RequestRules {
    /// An accepted head with its consequences for the connection.
    struct Framing: Equatable {
        /// The head for the server: `Connection` is `close` if the connection ends with the response.
        var head: HTTPRequestHead
        /// Whether the connection ends with the response.
        var isLast: Bool
        /// Whether NIO's decoder stops after the request because of `Upgrade`.
        var stopsDecoder: Bool
        /// Whether the client can wait for `100 Continue` before it sends the body.
        var awaitsContinue = false
    }

    /// Checks a head.
    ///
    /// - Throws: The refusal; the connection must end with it.
    static func check(_ head: HTTPRequestHead) throws(RequestRefusal) -> Framing {
        guard head.method != .CONNECT else {
            throw RequestRefusal(.notImplemented, "The server is not a proxy: CONNECT is not supported.")
        }
        let fields = ImportantFields(of: head.headers)
        let isOld = head.version.major == 1 && head.version.minor == 0
        try checkFraming(fields, isOld: isOld)
        try checkHost(fields.hosts, isOld: isOld)
        let options = try connectionOptions(fields.connections)
        // HTTP/1.0 has no persistent connections; `keep-alive` is an extension that proxies implemented wrongly.
        let isLast = isOld || options.contains("close")
        var head = head
        if isLast { head.headers.replaceOrAdd(name: "Connection", value: "close") }
        if isOld, fields.expectation != nil { head.headers.remove(name: "Expect") }
        return Framing(
            head: head,
            isLast: isLast,
            stopsDecoder: options.contains("upgrade") && fields.upgrades.contains { !$0.isEmpty },
            awaitsContinue: fields.expectation?.lowercased() == "100-continue"
        )
    }

    /// RFC 9112 section 6: one numeric `Content-Length`, or `Transfer-Encoding: chunked`, or neither.
    private static func checkFraming(_ fields: ImportantFields, isOld: Bool) throws(RequestRefusal) {
        if let encoding = fields.encodings.first {
            guard fields.encodings.count == 1, fields.lengths.isEmpty else {
                throw RequestRefusal(.badRequest, "A request must have one Transfer-Encoding or one Content-Length.")
            }
            guard !isOld else {
                throw RequestRefusal(.badRequest, "A request of HTTP/1.0 must not have a Transfer-Encoding.")
            }
            // Only exactly this token: the decoder treats other forms by its own rules.
            if encoding.lowercased() == "chunked" { return }
            let codings = encoding.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed }
            let isKnownTwice = codings.dropLast().contains { $0.lowercased() == "chunked" }
            let isMisspelt = codings.count == 1 && codings[0].lowercased() == "chunked"
            guard codings.allSatisfy(\.isToken), !isKnownTwice, !isMisspelt else {
                throw RequestRefusal(.badRequest, "Transfer-Encoding must be chunked.")
            }
            throw RequestRefusal(.notImplemented, "Transfer-Encoding must be chunked; no other coding is supported.")
        }
        guard let length = fields.lengths.first else { return }
        guard fields.lengths.count == 1, !length.isEmpty,
            length.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }), Int64(length) != nil
        else { throw RequestRefusal(.badRequest, "Content-Length must be one number of bytes.") }
    }

    /// RFC 9112 section 3.2: exactly one `Host`, which HTTP/1.0 requests can omit.
    private static func checkHost(_ hosts: [String], isOld: Bool) throws(RequestRefusal) {
        if hosts.isEmpty, isOld { return }
        guard let host = hosts.first, hosts.count == 1, HostField.isValid(host) else {
            throw RequestRefusal(.badRequest, "A request must have one Host: a name or an address, optionally a port.")
        }
    }

    /// The options of all `Connection` fields in lower case (RFC 9110 section 7.6.1).
    ///
    /// Only spaces are trimmed: NIO's decoder does not recognize an option after a tab.
    private static func connectionOptions(_ fields: [String]) throws(RequestRefusal) -> Set<String> {
        if fields.isEmpty { return [] }
        var options: Set<String> = []
        for field in fields {
            for option in field.split(separator: ",").map({ $0.trimmed(of: " ") }) where !option.isEmpty {
                guard option.isToken else {
                    throw RequestRefusal(.badRequest, "Connection must be a list of options, such as close.")
                }
                options.insert(option.lowercased())
            }
        }
        return options
    }
}

/// The values of the fields that determine the end of a request and of its connection.
private struct ImportantFields {
    var hosts: [String] = []
    var lengths: [String] = []
    var encodings: [String] = []
    var connections: [String] = []
    var upgrades: [String] = []
    var expectation: String?

    init(of headers: HTTPHeaders) {
        for (name, value) in headers {
            // Lengths are compared first, because most fields are none of these.
            switch name.utf8.count {
            case 4 where name.lowercased() == "host": hosts.append(value)
            case 6 where name.lowercased() == "expect": expectation = value
            case 7 where name.lowercased() == "upgrade": upgrades.append(value)
            case 10 where name.lowercased() == "connection": connections.append(value)
            case 14 where name.lowercased() == "content-length": lengths.append(value)
            case 17 where name.lowercased() == "transfer-encoding": encodings.append(value)
            default: break
            }
        }
    }
}

/// The value of `Host` (RFC 9110 section 7.2): a name, an IPv4 address or an IPv6 address in brackets, with an optional
/// port.
enum HostField {
    static func isValid(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")), end > 1,
                rest[1..<end].allSatisfy({ $0.isHexadecimal || ".:vV".utf8.contains($0) })
            else { return false }
            rest = rest[(end + 1)...]
        } else {
            let end = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
            guard end > 0, isName(rest[..<end]) else { return false }
            rest = rest[end...]
        }
        guard let colon = rest.first else { return true }
        let port = rest.dropFirst()
        return colon == UInt8(ascii: ":") && port.count <= 5 && port.allSatisfy(\.isDigit)
    }

    /// Whether the bytes are a registered name (RFC 3986 section 3.2.2).
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        var position = bytes.startIndex
        while position < bytes.endIndex {
            if bytes[position] == UInt8(ascii: "%") {
                let digits = bytes[(position + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy(\.isHexadecimal) else { return false }
                position += 3
            } else {
                let byte = bytes[position]
                guard byte.isLetter || byte.isDigit || "-._~!$&'()*+,;=".utf8.contains(byte) else { return false }
                position += 1
            }
        }
        return true
    }
}

extension UInt8 {
    fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
    fileprivate var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }
    fileprivate var isHexadecimal: Bool { isDigit || UInt8(ascii: "a")...UInt8(ascii: "f") ~= self | 0x20 }
}

extension StringProtocol {
    /// Whether the string is a token (RFC 9110 section 5.6.2).
    fileprivate var isToken: Bool {
        !isEmpty && utf8.allSatisfy { $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    fileprivate var trimmed: SubSequence { trimmed(of: " \t") }

    fileprivate func trimmed(of blanks: String) -> SubSequence {
        var rest = self[...]
        while let first = rest.first, blanks.contains(first) { rest = rest.dropFirst() }
        while let last = rest.last, blanks.contains(last) { rest = rest.dropLast() }
        return rest
    }
}

internal import NIOCore

/// What the first bytes of a read show about a request, before NIO's decoder has seen them.
///
/// It recognises only requests about whose end no two programs can disagree (RFC 9112 sections 2 to 6): a complete head
/// of HTTP/1.1 in strict form, without a body and without a field that changes what follows. Everything else is
/// ``unclear``; it is not an error, because the decoder and ``RequestGate`` decide about it.
enum RequestScan: Equatable {
    /// A whole request whose response depends on nothing but its target, its method and `If-None-Match`.
    case simple(SimpleRequest)
    /// Another whole request without a body, and its length in bytes.
    case whole(Int)
    /// A whole request without a body that the handlers after the decoder refuse or change, and its length in bytes.
    case doubtful(Int)
    /// Anything else.
    case unclear

    /// The maximum length in bytes of a head that is recognised.
    static let longest = 16 << 10
    /// The maximum number of header fields of a head that is recognised.
    static let maxFields = 100

    /// Scans the readable bytes from their beginning; other requests can follow the first one.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - field: The field whose lines ``SimpleRequest/forwarded`` gets; `nil` for none.
    init(_ bytes: ByteBuffer, noting field: TrustedProxies.Field? = nil) {
        self = bytes.withUnsafeReadableBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes.prefix(RequestScan.longest))
            var scanner = RequestScanner(bytes: bytes, field: field)
            return scanner.scan()
        }
    }
}

/// A request for which ``HotDownloads`` can have a prepared response.
struct SimpleRequest: Equatable {
    /// Whether the method is `HEAD`; otherwise it is `GET`.
    let isHead: Bool
    /// The target as it was sent: a path that begins with a slash, possibly with a query string.
    let target: String
    /// The value of `If-None-Match`; `nil` without one.
    let tags: String?
    /// The length of the head in bytes.
    let length: Int
    /// The lines of the field with which a proxy names the client.
    var forwarded: [String] = []
}

/// Reads one head from its first byte to the empty line.
private struct RequestScanner {
    let bytes: UnsafeRawBufferPointer
    private var position = 0

    private var isHead = false
    private var target = 0..<0
    private var tags: Range<Int>?
    private let field: TrustedProxies.Field?
    private var forwarded: [Range<Int>] = []
    private var hosts = 0
    /// Whether a field has influence on the response that a prepared response does not have.
    private var isPlain = true
    /// Whether handlers after the decoder have to see the request.
    private var isDoubtful = false

    init(bytes: UnsafeRawBufferPointer, field: TrustedProxies.Field?) {
        self.bytes = bytes
        self.field = field
    }

    mutating func scan() -> RequestScan {
        guard readRequestLine() else { return .unclear }
        var fields = 0
        while !accept("\r\n") {
            fields += 1
            guard fields <= RequestScan.maxFields, readField() else { return .unclear }
        }
        guard hosts == 1 else { return .unclear }
        if isDoubtful { return .doubtful(position) }
        guard isPlain else { return .whole(position) }
        return .simple(
            SimpleRequest(
                isHead: isHead,
                target: text(target),
                tags: tags.map(text),
                length: position,
                forwarded: forwarded.map(text)
            )
        )
    }

    /// RFC 9112 section 3: the method, one space, the target in origin form, one space, the version.
    private mutating func readRequestLine() -> Bool {
        if accept("HEAD /") { isHead = true } else if !accept("GET /") { return false }
        let start = position - 1
        while position < bytes.count, 0x21...0x7e ~= bytes[position] { position += 1 }
        target = start..<position
        return accept(" HTTP/1.1\r\n")
    }

    /// RFC 9112 section 5: a name, a colon, the value between optional blanks; no folding.
    private mutating func readField() -> Bool {
        let start = position
        while position < bytes.count, bytes[position].isTokenCharacter { position += 1 }
        let name = start..<position
        guard !name.isEmpty, accept(":") else { return false }
        while position < bytes.count, bytes[position].isBlank { position += 1 }
        let valueStart = position
        while position < bytes.count, bytes[position].isFieldCharacter { position += 1 }
        // With the blanks at its end, as from NIO's decoder: the gate refuses them in some fields.
        return accept("\r\n") && take(name, valueStart..<(position - 2))
    }

    /// Decides what a field means for the request; `false` if the request can have a body or end the connection.
    private mutating func take(_ name: Range<Int>, _ value: Range<Int>) -> Bool {
        switch name.count {
        case 2 where matches(name, "te"): return false
        case 4 where matches(name, "host"):
            hosts += 1
            if !isPlainHost(value) { isDoubtful = true }
        case 5 where matches(name, "range"): isPlain = false
        case 6 where matches(name, "expect"): return false
        case 7 where matches(name, "upgrade") || matches(name, "trailer"): return false
        case 8 where matches(name, "if-match") || matches(name, "if-range"): isPlain = false
        case 9 where field == .forwarded && matches(name, "forwarded"): forwarded.append(value)
        case 15 where field == .xForwardedFor && matches(name, "x-forwarded-for"): forwarded.append(value)
        case 10 where matches(name, "connection"): return matches(value, "keep-alive")
        // NIO's decoder takes it for `Connection`.
        case 16 where matches(name, "proxy-connection"): return false
        case 13 where matches(name, "if-none-match"):
            // Several lines are one list, which the route joins; no tag of this server has bytes beyond ASCII.
            if tags != nil || value.contains(where: { bytes[$0] >= 0x80 }) { isPlain = false }
            tags = trimmed(value)
        case 14 where matches(name, "content-length"): return false
        case 17 where matches(name, "transfer-encoding"): return false
        case 17 where matches(name, "if-modified-since"): isPlain = false
        case 19 where matches(name, "if-unmodified-since"): isPlain = false
        // Only RequestTrailers sets it.
        case 21 where matches(name, "lcfile-request-number"): isDoubtful = true
        default: break
        }
        return true
    }

    /// Whether the value is a host that ``HostField`` accepts, of the usual characters: letters, digits, `.`, `-` and a
    /// port.
    private func isPlainHost(_ value: Range<Int>) -> Bool {
        var end = value.lowerBound
        while end < value.upperBound, bytes[end].isHostCharacter { end += 1 }
        guard end > value.lowerBound else { return false }
        if end == value.upperBound { return true }
        let port = (end + 1)..<value.upperBound
        return bytes[end] == UInt8(ascii: ":") && port.count <= 5 && port.allSatisfy { bytes[$0].isDigit }
    }

    /// A value without the blanks at its end.
    private func trimmed(_ value: Range<Int>) -> Range<Int> {
        var end = value.upperBound
        while end > value.lowerBound, bytes[end - 1].isBlank { end -= 1 }
        return value.lowerBound..<end
    }

    /// Reads exactly these bytes, or none.
    private mutating func accept(_ expected: StaticString) -> Bool {
        let length = expected.utf8CodeUnitCount
        guard bytes.count - position >= length else { return false }
        for offset in 0..<length where bytes[position + offset] != expected.utf8Start[offset] { return false }
        position += length
        return true
    }

    /// Whether a range has the length and, regardless of case, the letters of a name in lower case.
    private func matches(_ range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        return range.allSatisfy { bytes[$0].lowercased == name.utf8Start[$0 - range.lowerBound] }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: UnsafeRawBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
}

extension RequestScan {
    /// Whether the request can go to its route directly (``DirectRequests``).
    var isDirect: Bool {
        switch self {
        case .simple(let request): request.length <= DirectRequests.longest
        case .whole(let length): length <= DirectRequests.longest
        case .doubtful, .unclear: false
        }
    }

    /// The length of the whole request; `nil` if it is unclear.
    var length: Int? {
        switch self {
        case .simple(let request): request.length
        case .whole(let length), .doubtful(let length): length
        case .unclear: nil
        }
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 }
    fileprivate var isDigit: Bool { 0x30...0x39 ~= self }
    fileprivate var isLetter: Bool { 0x61...0x7a ~= self | 0x20 }
    fileprivate var lowercased: UInt8 { 0x41...0x5a ~= self ? self | 0x20 : self }
    fileprivate var isHostCharacter: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }

    /// RFC 9110 section 5.6.2.
    fileprivate var isTokenCharacter: Bool {
        if isLetter || isDigit || self == UInt8(ascii: "-") { return true }
        return switch self {
        case 0x21, 0x23...0x27, 0x2a, 0x2b, 0x2e, 0x5e...0x60, 0x7c, 0x7e: true
        default: false
        }
    }

    /// RFC 9110 section 5.5: visible characters, blanks and bytes beyond ASCII.
    fileprivate var isFieldCharacter: Bool { self >= 0x20 && self != 0x7f || self == 0x09 }
}

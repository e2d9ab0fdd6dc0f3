internal import Domain
internal import Glibc
internal import NIOCore

/// Decodes a `multipart/form-data` body piece by piece (RFC 2046 section 5.1, RFC 7578).
///
/// It does no I/O, and never stores more than one piece and a part's head.
struct MultipartDecoder: Sendable {
    /// The output in order: each part's head, then its bytes.
    enum Event: Sendable, Equatable {
        case part(MultipartHeaders)
        case bytes(ByteBuffer)
    }

    private enum State {
        case preamble
        case afterBoundary
        case head
        case body
        case finished
    }

    /// The maximum size of a part's head in bytes.
    static let headLimit = 16 << 10

    /// Every boundary except the first follows a line break; the decoder adds one before the first.
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var buffer = ByteBuffer(string: "\r\n")

    /// The bytes of memory that the buffer uses.
    var capacity: Int { buffer.capacity }

    init(boundary: MultipartBoundary) {
        delimiter = Array("\r\n--\(boundary.text)".utf8)
    }

    /// Adds bytes; take all events before adding more.
    mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            // The remaining bytes are less than a boundary; without this the buffer would grow with the body.
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// The next event; `nil` until more bytes are added.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the body is malformed.
    mutating func next() throws -> Event? {
        while true {
            switch state {
            case .preamble:
                guard let start = find(delimiter) else {
                    buffer.moveReaderIndex(forwardBy: max(0, buffer.readableBytes - delimiter.count + 1))
                    return nil
                }
                buffer.moveReaderIndex(forwardBy: start + delimiter.count)
                state = .afterBoundary
            case .afterBoundary:
                guard try readBoundaryEnd() else { return nil }
            case .head:
                guard let headers = try readHead() else { return nil }
                state = .body
                return .part(headers)
            case .body:
                if let bytes = readBody() { return .bytes(bytes) }
                if state == .body { return nil }
            case .finished:
                buffer.clear()
                return nil
            }
        }
    }

    /// Checks the end of the body, when no more bytes follow.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the closing boundary is missing.
    func finish() throws {
        guard state == .finished else { throw broken("it ends before the closing boundary") }
    }

    /// Reads the end of a boundary: optional blanks, then two dashes at the end of the body, or a line break before a
    /// part.
    private mutating func readBoundaryEnd() throws -> Bool {
        while let byte = buffer.getInteger(at: buffer.readerIndex, as: UInt8.self), byte == 0x20 || byte == 0x09 {
            buffer.moveReaderIndex(forwardBy: 1)
        }
        guard let mark = buffer.readBytes(length: 2) else { return false }
        switch mark {
        case Array("--".utf8): state = .finished
        case Array("\r\n".utf8): state = .head
        default: throw broken("there is no line break after a boundary")
        }
        return true
    }

    private mutating func readHead() throws -> MultipartHeaders? {
        let end = Array("\r\n\r\n".utf8)
        guard let length = find(end) else {
            guard buffer.readableBytes < MultipartDecoder.headLimit else {
                throw broken("a part's head is larger than \(MultipartDecoder.headLimit) bytes")
            }
            return nil
        }
        guard length <= MultipartDecoder.headLimit, let head = buffer.readBytes(length: length) else {
            throw broken("a part's head is larger than \(MultipartDecoder.headLimit) bytes")
        }
        buffer.moveReaderIndex(forwardBy: end.count)
        return try MultipartHeaders(head)
    }

    /// The bytes up to the next boundary, or up to a possible beginning of one; `nil` if none are available.
    private mutating func readBody() -> ByteBuffer? {
        guard let length = find(delimiter) else {
            let safe = buffer.readableBytes - delimiter.count + 1
            return safe > 0 ? buffer.readSlice(length: safe) : nil
        }
        if length > 0 { return buffer.readSlice(length: length) }
        buffer.moveReaderIndex(forwardBy: delimiter.count)
        state = .afterBoundary
        return nil
    }

    /// The offset of the first occurrence of the bytes, relative to the buffer's reader index.
    private func find(_ needle: [UInt8]) -> Int? {
        buffer.withUnsafeReadableBytes { haystack in
            guard let start = haystack.baseAddress, haystack.count >= needle.count else { return nil }
            var position = 0
            while position <= haystack.count - needle.count {
                let rest = haystack.count - needle.count + 1 - position
                guard let candidate = memchr(start + position, Int32(needle[0]), rest) else { return nil }
                position = UnsafeRawPointer(candidate) - start
                if memcmp(candidate, needle, needle.count) == 0 { return position }
                position += 1
            }
            return nil
        }
    }

    private func broken(_ what: String) -> ServiceError {
        ServiceError(.badRequest, "Broken multipart body: \(what).")
    }
}

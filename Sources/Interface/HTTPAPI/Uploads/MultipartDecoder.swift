internal import Domain
internal import Glibc
internal import NIOCore

/// Reads a `multipart/form-data` body piece by piece, without I/O and without ever holding more than one piece and a
/// part's head (RFC 2046 section 5.1, RFC 7578).
struct MultipartDecoder: Sendable {
    /// What comes out, in order: each part's head, then its bytes.
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

    /// The most bytes of a part's head.
    static let headLimit = 16 << 10

    /// Every boundary but the first stands behind a line break; the first is given one.
    private let delimiter: [UInt8]
    private var state = State.preamble
    private var buffer = ByteBuffer(string: "\r\n")

    /// How many bytes of memory it holds.
    var capacity: Int { buffer.capacity }

    init(boundary: MultipartBoundary) {
        delimiter = Array("\r\n--\(boundary.text)".utf8)
    }

    /// Adds bytes; take events until there are none before adding more.
    mutating func append(_ bytes: ByteBuffer) {
        if buffer.readableBytes == 0 {
            buffer = bytes
        } else {
            // What is left is less than a boundary; without this the buffer would grow with the body.
            buffer.discardReadBytes()
            buffer.writeImmutableBuffer(bytes)
        }
    }

    /// The next event, or `nil` until more bytes are there.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` when the body is broken.
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

    /// Says that no more bytes come.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the closing boundary was not among them.
    func finish() throws {
        guard state == .finished else { throw broken("it ends before the closing boundary") }
    }

    /// Behind a boundary: two dashes end the body, a line break begins a part; blanks may stand between.
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

    /// The bytes up to the next boundary, or up to where one might begin; `nil` when there are none now.
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

    /// Where the bytes first stand in the buffer, counted from its reader.
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

internal import Domain
internal import NIOCore

/// Decodes the `aws-chunked` encoding: `<hex size>[;chunk-signature=…]`, a line break, the bytes, a line break; at the
/// end a chunk of size 0 and trailers.
///
/// Signatures are ignored, because the upload URL is the credential, and all trailers but the wanted ones. It does no
/// I/O, and never stores more than one piece, a line and the wanted trailers.
struct AWSChunkDecoder: Sendable {
    private enum State: Equatable {
        case size
        case data(Int)
        case dataEnd
        case trailers
    }

    /// The maximum length of a line in bytes.
    private static let lineLimit = 4096

    private let wanted: Set<String>
    private var buffer = ByteBuffer()
    private var state = State.size

    /// The wanted trailers that have arrived, by their names.
    private(set) var trailers: [String: String] = [:]

    /// - Parameter wanted: The names of trailers to keep, in lower case.
    init(trailers wanted: Set<String> = []) {
        self.wanted = wanted
    }

    /// Adds bytes; take all pieces before adding more.
    mutating func append(_ bytes: ByteBuffer) {
        buffer.discardReadBytes()
        buffer.writeImmutableBuffer(bytes)
    }

    /// The next bytes of the content; `nil` until more bytes are added.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the framing is malformed.
    mutating func next() throws -> ByteBuffer? {
        while true {
            switch state {
            case .size:
                guard let line = try readLine() else { return nil }
                let digits = line.prefix { $0 != ";" }
                guard digits.utf8.allSatisfy(\.isASCIIAlphanumeric), let size = Int(digits, radix: 16) else {
                    throw broken("a chunk has no size")
                }
                state = size == 0 ? .trailers : .data(size)
            case .data(let rest):
                guard let bytes = buffer.readSlice(length: min(rest, buffer.readableBytes)), bytes.readableBytes > 0
                else {
                    return nil
                }
                state = rest == bytes.readableBytes ? .dataEnd : .data(rest - bytes.readableBytes)
                return bytes
            case .dataEnd:
                guard let line = try readLine() else { return nil }
                guard line.isEmpty else { throw broken("there is no line break after a chunk") }
                state = .size
            case .trailers:
                guard !wanted.isEmpty else {
                    buffer.clear()
                    return nil
                }
                guard let line = try readLine() else { return nil }
                take(line)
            }
        }
    }

    /// Checks the end of the body, when no more bytes follow.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if the last chunk is missing.
    func finish() throws {
        guard state == .trailers else { throw broken("it ends before its last chunk") }
    }

    private mutating func take(_ line: String) {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return }
        let name = parts[0].lowercased()
        if wanted.contains(name) { trailers[name] = parts[1].filter { $0 != " " } }
    }

    private mutating func readLine() throws -> String? {
        guard let end = buffer.readableBytesView.firstIndex(of: UInt8(ascii: "\n")) else {
            guard buffer.readableBytes <= AWSChunkDecoder.lineLimit else { throw broken("a line is too long") }
            return nil
        }
        let length = end - buffer.readerIndex
        guard length <= AWSChunkDecoder.lineLimit, let line = buffer.readString(length: length) else {
            throw broken("a line is too long")
        }
        buffer.moveReaderIndex(forwardBy: 1)
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }

    private func broken(_ what: String) -> ServiceError {
        ServiceError(.badRequest, "Broken aws-chunked body: \(what).")
    }
}

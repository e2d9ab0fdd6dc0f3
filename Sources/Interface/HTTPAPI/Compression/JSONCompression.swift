internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Compresses JSON responses for clients that accept zstd or gzip.
///
/// It is for routes whose responses can be long: objects, queries, batches, schemas. Responses with session tokens or
/// third-party credentials are not compressed: from the length of a compressed response, an attacker who determines a
/// part of it could guess a secret beside it (BREACH).
enum JSONCompression {
    /// The minimum length of a response in bytes; a shorter one fits in a network packet anyway.
    static let leastLength = 1024
    /// The length in bytes up to which a response is compressed before its head is sent.
    ///
    /// Its length is then in the head. Longer ones are compressed piece by piece while they are sent, and their coding
    /// is chunked.
    static let pieceLength = 64 << 10

    /// The response to a request of a connection on an event loop, compressed if it is long and the client accepts that.
    static func compressed(
        _ response: Response,
        to request: Request,
        on eventLoop: any EventLoop
    ) async throws -> Response {
        guard let length = response.body.contentLength, length >= JSONCompression.leastLength,
            response.headers[.contentType]?.hasPrefix("application/json") == true
        else { return response }
        var response = response
        response.headers[values: .vary] += ["Accept-Encoding"]
        guard let coding = AcceptedCodings(request.headers[.acceptEncoding]).preferred else { return response }
        guard length > DirectRequests.longestResponse else {
            return try await compressed(response, coding, on: eventLoop)
        }
        // The request can have begun on an event loop; a child task begins on the cooperative pool.
        let uncompressed = response
        async let result = compressed(uncompressed, coding, on: eventLoop)
        return try await result
    }

    private static func compressed(
        _ response: Response,
        _ coding: ContentCoding,
        on eventLoop: any EventLoop
    ) async throws -> Response {
        var response = response
        let collector = BodyCollector()
        try await response.body.write(collector)
        let json = collector.body
        guard !json.namesSecret, let body = try body(json, of: response.body, coding, on: eventLoop) else {
            return response
        }
        response.body = body
        response.headers[.contentEncoding] = coding.rawValue
        return response
    }

    private static func body(
        _ json: ByteBuffer,
        of source: ResponseBody,
        _ coding: ContentCoding,
        on eventLoop: any EventLoop
    ) throws -> ResponseBody? {
        switch coding {
        case .zstd: try compressed(json, of: source, by: ZstdStream.self, on: eventLoop)
        case .gzip: try compressed(json, of: source, by: GzipStream.self, on: eventLoop)
        }
    }

    /// The compressed body; `nil` if it is not shorter.
    private static func compressed<Stream: CompressionStream & ~Copyable>(
        _ json: ByteBuffer,
        of source: ResponseBody,
        by _: Stream.Type,
        on eventLoop: any EventLoop
    ) throws -> ResponseBody? {
        guard json.readableBytes > JSONCompression.pieceLength else {
            var stream = try Stream()
            let bytes = try stream.compress(json, isLast: true)
            return bytes.readableBytes < json.readableBytes ? ResponseBody(byteBuffer: bytes) : nil
        }
        return ResponseBody { writer in
            var stream = try Stream()
            var rest = json
            while let piece = rest.readSlice(length: min(rest.readableBytes, JSONCompression.pieceLength)),
                piece.readableBytes > 0
            {
                let bytes = try stream.compress(piece, isLast: rest.readableBytes == 0)
                guard bytes.readableBytes > 0 else { continue }
                try await writer.write(bytes)
                try await eventLoop.catchUp()
            }
            try await writer.finish(nil)
            // The memory of the text counts as long as the body that has it.
            withExtendedLifetime(source) {}
        }
    }
}

/// Collects a body that is in memory; its first piece is not copied.
final class BodyCollector: ResponseBodyWriter, Sendable {
    private let collected = Mutex(ByteBuffer())

    var body: ByteBuffer { collected.withLock { $0 } }

    func write(_ buffer: ByteBuffer) async throws {
        collected.withLock { collected in
            if collected.readableBytes == 0 {
                collected = buffer
            } else {
                collected.writeImmutableBuffer(buffer)
            }
        }
    }

    func finish(_ trailers: HTTPFields?) async throws {}
}

extension ByteBuffer {
    /// Whether the JSON has a member whose value is a credential.
    fileprivate var namesSecret: Bool {
        withUnsafeReadableBytes { bytes in
            bytes.contains("\"sessionToken\"", rarest: "T") || bytes.contains("\"authData\"", rarest: "D")
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the bytes contain a string; its rarest character is searched for first, because that is fastest.
    fileprivate func contains(_ text: String, rarest: Unicode.Scalar) -> Bool {
        let text = Array(text.utf8)
        guard let base = baseAddress, let offset = text.firstIndex(of: UInt8(ascii: rarest)) else { return false }
        var position = offset
        while position < count, let found = memchr(base + position, CInt(text[offset]), count - position) {
            let start = UnsafeRawPointer(found) - base - offset
            if start + text.count <= count, memcmp(base + start, text, text.count) == 0 { return true }
            position = start + offset + 1
        }
        return false
    }
}

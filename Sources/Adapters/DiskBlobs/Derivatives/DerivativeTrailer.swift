internal import Crypto
internal import Domain
internal import NIOCore

/// The last 184 bytes of a derivative's file, after the bytes that are served.
///
/// The trailer describes the derivative, and shows without reading the other bytes whether the file is complete and was
/// written by lcfile. In order: 7 letters and a version, the count of bytes before the trailer (8 bytes, big-endian),
/// the tag (32), the media type (its length in 1 byte, then up to 127, then zeros), and the beginning of the SHA-256 of
/// all that (8). A file with another end, such as the 128 bytes of version 1, is not a valid derivative.
struct DerivativeTrailer: Sendable, Equatable {
    /// The number of bytes before the trailer.
    let size: Int64
    let mediaType: MediaType
    /// See ``StoredDerivative/tag``.
    let tag: String

    /// The length of a trailer in bytes.
    static let length = 184

    private static let magic = Array("lcderiv".utf8) + [2]
    private static let tagLength = 32
    private static let checksumLength = 8
    private static let mediaTypeLength = length - magic.count - 8 - tagLength - 1 - checksumLength

    /// Creates the trailer of bytes; `nil` if their media type is too long, which no ``MediaType`` is today.
    init?(of bytes: ByteBuffer, as mediaType: MediaType) {
        guard mediaType.description.utf8.count <= DerivativeTrailer.mediaTypeLength else { return nil }
        size = Int64(bytes.readableBytes)
        self.mediaType = mediaType
        tag = StoredDerivative.tag(of: bytes)
    }

    /// Reads the trailer of a file of a size; `nil` if the file's end is not a valid trailer for that size.
    init?(in file: borrowing Descriptor, size fileSize: Int64) throws {
        let offset = fileSize - Int64(DerivativeTrailer.length)
        guard offset >= 0 else { return nil }
        var bytes = try file.read(at: offset, count: DerivativeTrailer.length)
        guard bytes.readableBytes == DerivativeTrailer.length,
            var fields = bytes.readSlice(length: DerivativeTrailer.length - DerivativeTrailer.checksumLength),
            DerivativeTrailer.digest(of: fields).prefix(DerivativeTrailer.checksumLength)
                .elementsEqual(bytes.readableBytesView),
            fields.readBytes(length: DerivativeTrailer.magic.count) == DerivativeTrailer.magic,
            let size = fields.readInteger(as: Int64.self), size == offset,
            let tag = fields.readString(length: DerivativeTrailer.tagLength),
            let mediaType = fields.readLengthPrefixedSlice(as: UInt8.self).flatMap({ MediaType(String(buffer: $0)) })
        else { return nil }
        self.size = size
        self.mediaType = mediaType
        self.tag = tag
    }

    /// The encoded trailer.
    var encoded: ByteBuffer {
        var bytes = ByteBufferAllocator().buffer(capacity: DerivativeTrailer.length)
        bytes.writeBytes(DerivativeTrailer.magic)
        bytes.writeInteger(size)
        bytes.writeString(tag)
        bytes.writeInteger(UInt8(mediaType.description.utf8.count))
        bytes.writeString(mediaType.description)
        let padding = DerivativeTrailer.length - DerivativeTrailer.checksumLength - bytes.readableBytes
        bytes.writeRepeatingByte(0, count: padding)
        bytes.writeBytes(DerivativeTrailer.digest(of: bytes).prefix(DerivativeTrailer.checksumLength))
        return bytes
    }

    private static func digest(of bytes: ByteBuffer) -> SHA256.Digest {
        bytes.withUnsafeReadableBytes { bytes in
            var sha256 = SHA256()
            sha256.update(bufferPointer: bytes)
            return sha256.finalize()
        }
    }
}

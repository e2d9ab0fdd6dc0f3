internal import Crypto
internal import Domain
internal import NIOCore

/// A derivative as an object of a bucket: the length of its media type (1 byte), the media type, the SHA-256 of its bytes
/// (32 bytes), and its bytes; in an ``Envelope`` if blobs are encrypted.
struct S3Derivative {
    let bytes: ByteBuffer
    let mediaType: MediaType

    /// The largest derivative that becomes an object, in bytes: a server reads it as a whole.
    static let maxSize = 4 << 20
    /// The size of the largest object, with everything around the bytes.
    static let maxObjectSize = maxSize + 1024

    init(bytes: ByteBuffer, mediaType: MediaType) {
        (self.bytes, self.mediaType) = (bytes, mediaType)
    }

    /// The bytes of the object.
    ///
    /// - Parameters:
    ///   - name: The name of the object, for which only it can be read.
    ///   - encryption: How blobs are encrypted; `nil` if they are not.
    /// - Returns: The bytes; `nil` if the media type is too long.
    /// - Throws: An error of the encryption.
    func object(named name: String, _ encryption: BlobEncryption?) throws -> [UInt8]? {
        let type = Array(mediaType.description.utf8)
        guard let length = UInt8(exactly: type.count) else { return nil }
        let digest = bytes.withUnsafeReadableBytes { SHA256.hash(data: $0) }
        let payload = [length] + type + Array(digest) + Array(bytes.readableBytesView)
        guard let encryption else { return payload }
        return try Envelope.seal(payload, with: encryption.keys, for: S3Derivative.context(name))
    }

    /// Reads an object; `nil` if it is not what was stored, or was encrypted in another way than blobs are now.
    init?(_ object: [UInt8], named name: String, _ encryption: BlobEncryption?) {
        var payload = object
        if let encryption {
            guard let opened = try? Envelope.open(object, with: encryption.keys, for: S3Derivative.context(name)) else {
                return nil
            }
            payload = opened
        }
        var rest = ByteBuffer(bytes: payload)
        guard let length = rest.readInteger(as: UInt8.self), let type = rest.readString(length: Int(length)),
            let mediaType = MediaType(type), let digest = rest.readBytes(length: SHA256.byteCount)
        else { return nil }
        guard rest.withUnsafeReadableBytes({ Array(SHA256.hash(data: $0)) }) == digest else { return nil }
        (bytes, self.mediaType) = (rest.slice(), mediaType)
    }

    private static func context(_ name: String) -> String { "derivative \(name)" }
}

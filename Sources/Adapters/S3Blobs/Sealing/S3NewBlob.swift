package import Domain
internal import NIOCore

/// A blob that becomes an object, and how: as it is, or sealed.
package struct S3NewBlob: Sendable {
    /// The object's name in the bucket.
    package let name: String
    /// The facts of the finished bytes.
    package let facts: BlobFacts
    let file: ObjectID
    let app: String
    let encryption: BlobEncryption?

    /// Header fields of the new object; a sealed one tells the store nothing.
    var headers: [(name: String, value: String)] { encryption == nil ? S3BlobMetadata.headers(facts) : [] }

    /// The end of the object, behind the sealed frames of runs.
    func trailer(_ runs: [SealedRun], _ encryption: BlobEncryption) throws -> [UInt8] {
        let trailer = SealedTrailer(
            app: app,
            file: file,
            size: facts.size,
            digest: facts.digest,
            runs: runs
        )
        return try trailer.sealed(with: encryption)
    }

    /// The object of bytes that are all in memory.
    func object(of bytes: ByteBuffer) throws -> [UInt8] {
        guard let encryption else { return Array(bytes.readableBytesView) }
        let key = FrameKey()
        let frames = try bytes.withUnsafeReadableBytes { try FrameCipher(key).seal(all: $0) }
        let size = Int64(bytes.readableBytes)
        return frames + (try trailer(size == 0 ? [] : [SealedRun(size: size, first: 0, key: key)], encryption))
    }
}

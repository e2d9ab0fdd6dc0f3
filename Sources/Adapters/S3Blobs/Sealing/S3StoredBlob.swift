internal import Crypto
internal import Domain
internal import S3

/// The object of a blob, and how its bytes are read: as they are, or from sealed frames.
struct S3StoredBlob: Sendable {
    let object: S3Object
    private let form: Form
    /// All bytes of a small object, if they are known.
    private var content: [UInt8]?

    private enum Form: Sendable {
        case plain
        case sealed(SealedTrailer, SealedRuns)
    }

    /// The bytes at the end of an object that are read for its trailer.
    private static let tailSize: Int64 = 64 << 10

    /// The object of a blob that is not encrypted.
    init(plain object: S3Object) {
        self.init(object, .plain, nil)
    }

    /// Reads and opens the trailer of an object; blocks.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - bucket: The bucket, with the keys.
    /// - Throws: `S3Error`, with `missing` if the object does not exist any more; ``ServiceError/unreadable(_:)`` if it is
    ///   not what this app has stored under the name.
    init(_ object: S3Object, in bucket: S3BlobBucket) throws {
        guard let encryption = bucket.encryption else {
            self.init(plain: object)
            return
        }
        var tail = try S3StoredBlob.read(min(object.size, S3StoredBlob.tailSize), atEndOf: object, bucket.client)
        guard let size = SealedTrailer.envelopeSize(tail.suffix(Int(SealedTrailer.footerSize))),
            size + SealedTrailer.footerSize <= object.size
        else {
            guard encryption.readsUnencrypted else { throw S3StoredBlob.unreadable(object, "it is not encrypted") }
            self.init(plain: object)
            return
        }
        let trailerSize = size + SealedTrailer.footerSize
        if tail.count < trailerSize { tail = try S3StoredBlob.read(trailerSize, atEndOf: object, bucket.client) }
        let trailer: SealedTrailer
        do {
            let envelope = tail.suffix(Int(trailerSize)).prefix(Int(size))
            trailer = try SealedTrailer.open(Array(envelope), with: encryption)
        } catch {
            throw S3StoredBlob.unreadable(object, "\(error)")
        }
        let runs = SealedRuns(trailer.runs)
        guard trailer.app == bucket.layout.app, object.key.hasSuffix(".\(trailer.file)"),
            runs.size == trailer.size, runs.sealedSize + trailerSize == object.size
        else { throw S3StoredBlob.unreadable(object, "it is another blob") }
        self.init(object, .sealed(trailer, runs), tail.count == object.size ? tail : nil)
    }

    private init(_ object: S3Object, _ form: Form, _ content: [UInt8]?) {
        (self.object, self.form, self.content) = (object, form, content)
    }

    /// The number of bytes of the blob.
    var size: Int64 {
        switch form {
        case .plain: object.size
        case .sealed(let trailer, _): trailer.size
        }
    }

    /// The digest of the bytes, which each reader can rely on; `nil` if only the store tells it.
    var digest: BlobDigest? {
        switch form {
        case .plain: nil
        case .sealed(let trailer, _): trailer.digest
        }
    }

    /// What only the same bytes under the same name have.
    var identity: String {
        switch form {
        case .plain: return "\(object.tag)\n\(object.size)"
        case .sealed(let trailer, _):
            // The trailer can be written anew; the keys of the frames stay.
            var hasher = SHA256()
            for run in trailer.runs { hasher.update(data: run.key.bytes) }
            hasher.update(data: Array("\(trailer.file) \(trailer.size)".utf8))
            return Array(hasher.finalize()).hexadecimal
        }
    }

    /// The same without the bytes of a small object.
    var withoutContent: S3StoredBlob {
        var blob = self
        blob.content = nil
        return blob
    }

    /// Passes the bytes of a range to a closure, in order, after each frame is authenticated; blocks.
    ///
    /// - Returns: The digest with which the blob was put; `nil` if another program has put it.
    /// - Throws: `S3Error`; ``ServiceError/unreadable(_:)`` if the bytes are not those that were encrypted.
    @discardableResult
    func read(
        _ range: Range<Int64>,
        from client: S3Client,
        _ take: @escaping (_ bytes: UnsafeRawBufferPointer) throws(S3Error) -> Void
    ) throws -> BlobDigest? {
        guard case .sealed(let trailer, let runs) = form else {
            return S3BlobMetadata.digest(of: try client.read(range, of: object, take))
        }
        guard !range.isEmpty else { return trailer.digest }
        let reader = FrameReader(range, of: runs, take)
        do {
            if let content {
                let part = Int(reader.sealedRange.lowerBound)..<Int(reader.sealedRange.upperBound)
                try content.withUnsafeBytes { try reader.receive(UnsafeRawBufferPointer(rebasing: $0[part])) }
            } else {
                try client.read(reader.sealedRange, of: object) { bytes throws(S3Error) in try reader.receive(bytes) }
            }
        } catch {
            if let failure = reader.failure { throw S3StoredBlob.unreadable(object, "\(failure)") }
            throw error
        }
        return trailer.digest
    }

    private static func read(
        _ count: Int64,
        atEndOf object: S3Object,
        _ client: S3Client
    ) throws(S3Error) -> [UInt8] {
        guard count > 0 else { return [] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(count))
        try client.read(object.size - count..<object.size, of: object) { bytes += $0 }
        return bytes
    }

    private static func unreadable(_ object: S3Object, _ reason: String) -> ServiceError {
        ServiceError.unreadable(UnreadableBlob("the object '\(object.key)' cannot be used: \(reason)"))
    }
}

internal import Domain
internal import NIOCore

/// The end of a sealed blob: whose blob it is, and the runs in front of it.
///
/// An ``Envelope`` and 16 bytes: its length, and a magic number.
struct SealedTrailer: Sendable, Equatable {
    let app: String
    /// The id in the object's name.
    let file: ObjectID
    let size: Int64
    let digest: BlobDigest
    let runs: [SealedRun]

    /// The bytes behind the envelope.
    static let footerSize: Int64 = 16
    private static let magic = Array("lcseal01".utf8)
    private static let context = "lcfile blob 1"
    private static let version: UInt8 = 1
    private static let runSize: Int64 = 16 + Int64(FrameKey.size)

    /// The trailer's bytes.
    func sealed(with encryption: BlobEncryption) throws -> [UInt8] {
        var fields = encodedFacts
        fields.writeInteger(UInt32(runs.count))
        for run in runs {
            fields.writeInteger(run.size)
            fields.writeInteger(run.first)
            fields.writeBytes(run.key.bytes)
        }
        let payload = Array(fields.readableBytesView)
        let envelope = try Envelope.seal(payload, with: encryption.keys, for: SealedTrailer.context)
        var bytes = ByteBuffer(bytes: envelope)
        bytes.writeInteger(UInt64(envelope.count))
        bytes.writeBytes(SealedTrailer.magic)
        return Array(bytes.readableBytesView)
    }

    /// The number of bytes of the envelope, by the last 16 bytes of an object; `nil` if it has no trailer.
    static func envelopeSize(_ footer: ArraySlice<UInt8>) -> Int64? {
        guard footer.count == Int(footerSize), footer.suffix(8).elementsEqual(magic) else { return nil }
        let size = footer.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size <= maxSize ? Int64(size) : nil
    }

    /// More runs than parts cannot be.
    private static let maxSize: UInt64 = 1 << 20

    /// Opens an envelope.
    static func open(_ envelope: [UInt8], with encryption: BlobEncryption) throws(SealError) -> SealedTrailer {
        var fields = ByteBuffer(bytes: try Envelope.open(envelope, with: encryption.keys, for: context))
        guard fields.readInteger(as: UInt8.self) == version, let app = text(&fields), let file = text(&fields),
            let size = fields.readInteger(as: Int64.self),
            let kind = fields.readInteger(as: UInt8.self), let digest = text(&fields),
            let count = fields.readInteger(as: UInt32.self),
            Int64(fields.readableBytes) == Int64(count) * runSize, let id = ObjectID(file)
        else { throw .forged }
        var runs: [SealedRun] = []
        while fields.readableBytes > 0 {
            guard let size = fields.readInteger(as: Int64.self), let first = fields.readInteger(as: Int64.self),
                let key = fields.readBytes(length: FrameKey.size).flatMap({ FrameKey($0) }), size > 0, first >= 0
            else { throw .forged }
            runs.append(SealedRun(size: size, first: first, key: key))
        }
        return SealedTrailer(
            app: app,
            file: id,
            size: size,
            digest: kind == 0 ? .contentHash(digest) : .sha256(digest),
            runs: runs
        )
    }

    /// Whether an object can have a size, by what is known without reading it: the number of runs is unknown.
    ///
    /// A run adds its place in the trailer, and up to one frame more than bytes without it would have.
    func canHave(objectSize: Int64) -> Bool {
        let fixed = Int64(encodedFacts.readableBytes + 4 + Envelope.overhead) + SealedTrailer.footerSize
        let rest = objectSize - Frame.sealed(size) - fixed
        guard size > 0 else { return rest == 0 }
        let most = SealedTrailer.runSize + Frame.tagSize
        // The first run adds no frame.
        let least = max(1, (rest + Frame.tagSize + most - 1) / most)
        return rest >= SealedTrailer.runSize && least * SealedTrailer.runSize <= rest
    }

    private var encodedFacts: ByteBuffer {
        var fields = ByteBuffer(integer: SealedTrailer.version)
        SealedTrailer.write(app, to: &fields)
        SealedTrailer.write(file.description, to: &fields)
        fields.writeInteger(size)
        switch digest {
        case .contentHash(let text):
            fields.writeInteger(UInt8(0))
            SealedTrailer.write(text, to: &fields)
        case .sha256(let text):
            fields.writeInteger(UInt8(1))
            SealedTrailer.write(text, to: &fields)
        }
        return fields
    }

    private static func write(_ text: String, to fields: inout ByteBuffer) {
        fields.writeInteger(UInt16(clamping: text.utf8.count))
        fields.writeString(text)
    }

    private static func text(_ fields: inout ByteBuffer) -> String? {
        fields.readInteger(as: UInt16.self).flatMap { fields.readString(length: Int($0)) }
    }
}

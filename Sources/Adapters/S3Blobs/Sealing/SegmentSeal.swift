internal import Domain

/// What the name of an encrypted segment has in the place of the digests: an envelope with them.
///
/// The segment's key is derived from the envelope's salt, because names of more than 255 bytes are too long for some
/// stores. So one list of names stays all that a server needs to continue or finish an upload.
struct SegmentSeal: Hashable, Sendable {
    let key: FrameKey
    /// The envelope as Base64 without the characters that separate the fields of a name.
    let text: String

    /// What distinguishes the field from one with digests, which are hexadecimal digits.
    static let prefix: Character = "s"

    /// Seals digests, and makes a key.
    ///
    /// - Parameters:
    ///   - digests: The digests of the segment's blocks.
    ///   - fields: The rest of the name, which cannot be changed then.
    ///   - folder: Where the segment is.
    /// - Throws: An error of the encryption.
    init(_ digests: [[UInt8]], for fields: String, _ folder: SegmentFolder) throws {
        let keys = folder.encryption.keys
        let envelope = try Envelope.seal(digests.flatMap(\.self), with: keys, for: folder.context(fields))
        key = try Envelope.frameKey(of: envelope, keys)
        text = envelope.base64URL.replacing("-", with: ".").replacing("=", with: "")
    }

    /// Opens the field of a name; returns the digests, too.
    ///
    /// - Throws: ``SealError``.
    static func open(
        _ field: Substring,
        for fields: String,
        _ folder: SegmentFolder
    ) throws(SealError) -> (seal: SegmentSeal, digests: [UInt8]) {
        let text = String(field)
        guard let envelope = [UInt8](base64: text.replacing(".", with: "-")) else { throw .forged }
        let keys = folder.encryption.keys
        let digests = try Envelope.open(envelope, with: keys, for: folder.context(fields))
        return (SegmentSeal(key: try Envelope.frameKey(of: envelope, keys), text: text), digests)
    }

    private init(key: FrameKey, text: String) {
        (self.key, self.text) = (key, text)
    }
}

/// A folder of encrypted segments.
struct SegmentFolder: Sendable {
    let encryption: BlobEncryption
    let app: String
    let folder: StagingNames.Folder

    /// What a segment's envelope belongs to.
    func context(_ fields: String) -> String { "lcfile segment 1\n\(app)\n\(folder)\n\(fields)" }
}

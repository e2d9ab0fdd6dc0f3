internal import Crypto
internal import Domain

/// A few bytes that a wrapping key seals: the keys of objects, and what else the store must not read.
///
/// The id of the key (8 bytes), a random salt (16), the ciphertext, and the tag of AES-256-GCM (16). The key of an
/// envelope is derived from the wrapping key and the salt by HKDF-SHA256, so a wrapping key can seal any number of them:
/// random nonces with one key would repeat after some billions.
enum Envelope {
    static let idSize = 8
    private static let saltSize = 16
    private static let tagSize = 16
    /// The bytes of an envelope beside those that are sealed.
    static let overhead = idSize + saltSize + tagSize
    /// The key of an envelope seals only once.
    private static let nonce = [UInt8](repeating: 0, count: 12)
    private static let label = Array("lcfile envelope 1".utf8)
    private static let frameLabel = Array("lcfile frames 1".utf8)

    /// Seals bytes with the first key.
    ///
    /// - Parameters:
    ///   - payload: The bytes.
    ///   - keys: At least one key.
    ///   - context: What the envelope belongs to; it can be opened only with the same one.
    /// - Returns: The envelope.
    /// - Throws: An error of the encryption.
    static func seal(_ payload: [UInt8], with keys: [WrappingKey], for context: String) throws -> [UInt8] {
        let wrapping = keys[0]
        var random = SystemRandomNumberGenerator()
        let salt = (0..<saltSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let id = [UInt8](hexadecimal: wrapping.id) ?? []
        let box = try AES.GCM.seal(
            payload,
            using: key(of: wrapping, salt),
            nonce: AES.GCM.Nonce(data: nonce),
            authenticating: Array(context.utf8)
        )
        return id + salt + Array(box.ciphertext) + Array(box.tag)
    }

    /// Opens an envelope.
    static func open(
        _ envelope: [UInt8],
        with keys: [WrappingKey],
        for context: String
    ) throws(SealError) -> [UInt8] {
        guard let id = keyID(of: envelope) else { throw .forged }
        guard let wrapping = keys.first(where: { $0.id == id }) else { throw .unknownKey(id) }
        let body = envelope[idSize...]
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: nonce),
                ciphertext: body.dropFirst(saltSize).dropLast(tagSize),
                tag: body.suffix(tagSize)
            )
            let key = key(of: wrapping, Array(body.prefix(saltSize)))
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(context.utf8)))
        } catch {
            throw .forged
        }
    }

    /// The id of the key that sealed an envelope; `nil` if it is too short for one.
    static func keyID(of envelope: [UInt8]) -> String? {
        envelope.count >= overhead ? Array(envelope.prefix(idSize)).hexadecimal : nil
    }

    /// A key for the frames beside an envelope, which it does not have to contain: derived from the same salt.
    ///
    /// - Parameters:
    ///   - envelope: The envelope.
    ///   - keys: The keys, with that of the envelope.
    /// - Returns: The key, which no other envelope has.
    /// - Throws: ``SealError`` without the key of the envelope.
    static func frameKey(of envelope: [UInt8], _ keys: [WrappingKey]) throws(SealError) -> FrameKey {
        guard let id = keyID(of: envelope) else { throw .forged }
        guard let wrapping = keys.first(where: { $0.id == id }) else { throw .unknownKey(id) }
        let salt = Array(envelope[idSize..<idSize + saltSize])
        let derived = key(of: wrapping, salt, label: frameLabel).withUnsafeBytes { Array($0) }
        guard let key = FrameKey(derived) else { throw .forged }
        return key
    }

    private static func key(
        of wrapping: WrappingKey,
        _ salt: [UInt8],
        label: [UInt8] = Envelope.label
    ) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: wrapping.key,
            salt: salt,
            info: label,
            outputByteCount: WrappingKey.size
        )
    }
}

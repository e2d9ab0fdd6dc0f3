internal import Crypto

/// The secret of an app with which captchas are signed, and from which what they show is derived.
///
/// It depends on the app's master key, so captchas need no row until they are answered.
package struct CaptchaSecret: Sendable {
    private let key: SymmetricKey

    /// - Parameter masterKey: The app's master key.
    package init(masterKey: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(masterKey.revealed.utf8)),
            info: Array("lcfile captcha".utf8),
            outputByteCount: 32
        )
    }

    /// 32 bytes that only the holder of the secret can derive.
    func digest(_ use: String, _ text: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array("\(use) \(text)".utf8), using: key))
    }

    /// A text with its signature: 32 hexadecimal digits behind a hyphen.
    func signed(_ use: String, _ text: String) -> String {
        "\(text)-\(digest(use, text).prefix(16).hexadecimal)"
    }

    /// The text of a signed one, compared in constant time; `nil` if the signature is wrong.
    func text(_ use: String, of signed: String) -> Substring? {
        guard signed.utf8.count <= 200, let hyphen = signed.lastIndex(of: "-") else { return nil }
        let text = signed[..<hyphen]
        return Secret(self.signed(use, String(text))).matches(signed) ? text : nil
    }
}

/// What a captcha is, all of it in its signed token: its picture, and when it ends.
package struct CaptchaToken: Sendable, Hashable {
    /// The random part, which identifies the captcha.
    let nonce: String
    /// When the captcha ends.
    let expiresAt: Timestamp
    /// The size of the picture in pixels.
    package let width: Int
    /// The size of the picture in pixels.
    package let height: Int
    /// The number of characters.
    let count: Int

    /// The letters and digits that a captcha shows: none of them looks like another one, and none is much wider.
    private static let alphabet = Array("ACDEFHJKNPRTUVXY3679")

    init(width: Int, height: Int, count: Int, until end: Timestamp) {
        nonce = RandomString.lowercase(24)
        expiresAt = end
        self.width = width
        self.height = height
        self.count = count
    }

    /// Reads a token; `nil` unless the server signed it.
    init?(_ text: String, _ secret: CaptchaSecret) {
        guard let parts = secret.text("captcha", of: text)?.split(separator: "-"), parts.count == 5,
            let end = Int64(parts[1], radix: 36), let width = Int(parts[2]), let height = Int(parts[3]),
            let count = Int(parts[4])
        else { return nil }
        nonce = String(parts[0])
        expiresAt = Timestamp(milliseconds: end)
        self.width = width
        self.height = height
        self.count = count
    }

    /// The token for a client.
    func text(_ secret: CaptchaSecret) -> String {
        let end = String(expiresAt.milliseconds, radix: 36)
        return secret.signed("captcha", "\(nonce)-\(end)-\(width)-\(height)-\(count)")
    }

    /// The characters that the picture shows.
    func characters(_ secret: CaptchaSecret) -> String {
        let alphabet = CaptchaToken.alphabet
        let numbers = secret.digest("characters", nonce)
        // Two bytes for each character, so that all are about equally probable.
        return String(
            (0..<count).map { alphabet[(Int(numbers[2 * $0]) << 8 | Int(numbers[2 * $0 + 1])) % alphabet.count] }
        )
    }

    /// The number from which the picture's distortion and noise follow: two requests get the same picture, so that
    /// several ones reveal no more.
    func seed(_ secret: CaptchaSecret) -> UInt64 {
        secret.digest("seed", nonce).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

/// The proof that a captcha was solved: the `validate_token` with which a client requests one SMS.
struct CaptchaProof: Sendable, Hashable {
    /// The random part of the captcha.
    let nonce: String
    /// When the proof ends.
    let expiresAt: Timestamp

    init(_ token: CaptchaToken, until end: Timestamp) {
        nonce = token.nonce
        expiresAt = end
    }

    /// Reads a proof; `nil` unless the server signed it.
    init?(_ text: String, _ secret: CaptchaSecret) {
        guard let parts = secret.text("proof", of: text)?.split(separator: "-"), parts.count == 2,
            let end = Int64(parts[1], radix: 36)
        else { return nil }
        nonce = String(parts[0])
        expiresAt = Timestamp(milliseconds: end)
    }

    /// The proof for a client.
    func text(_ secret: CaptchaSecret) -> String {
        secret.signed("proof", "\(nonce)-\(String(expiresAt.milliseconds, radix: 36))")
    }
}

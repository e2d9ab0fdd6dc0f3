internal import Crypto

/// Signs and verifies what a file URL permits: HMAC-SHA256 over the app, the file's key, the image and the expiry.
package struct URLSignatures: Sendable {
    /// The maximum number of keys: that of today and a few that rotate out.
    package static let maxKeys = 8

    private let app: AppID
    private let keys: [SymmetricKey]

    /// - Parameters:
    ///   - app: The app of the files; the signature of one app is wrong for another, also with the same keys.
    ///   - secrets: The first signs; all verify, so that URLs outlive a rotation.
    package init(app: AppID, secrets: [Secret]) {
        self.app = app
        // Derived, so that a signature reveals nothing about a master key, which can be one of them.
        keys = secrets.map { secret in
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: Array(secret.revealed.utf8)),
                info: Array("lcfile file URL".utf8),
                outputByteCount: 32
            )
        }
    }

    /// The signature in Base64 for URLs, without padding; `nil` without keys.
    func signature(of key: FileKey, _ image: RequestedImage, expires: UnixSeconds) -> String? {
        guard let first = keys.first else { return nil }
        let code = HMAC<SHA256>.authenticationCode(for: signed(key, image, expires), using: first)
        return Array(code).base64URL.filter { $0 != "=" }
    }

    /// Whether a signature was made with one of the keys; compares in constant time.
    func areValid(_ signature: String, of key: FileKey, _ image: RequestedImage, expires: UnixSeconds) -> Bool {
        guard let code = [UInt8](base64: signature) else { return false }
        let message = signed(key, image, expires)
        return keys.contains { HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: message, using: $0) }
    }

    /// The image's length stands before it, so that no two triples have the same bytes.
    private func signed(_ key: FileKey, _ image: RequestedImage, _ expires: UnixSeconds) -> [UInt8] {
        let image = image.signed
        return Array("\(app)\n\(expires.value)\n\(image.utf8.count)\n\(image)\n\(key)".utf8)
    }
}

internal import Crypto

/// The secret of an app from which the codes in SMS are derived.
///
/// A code is not stored. It is derived from a random number of 124 bits, which is stored, so a copy of the database
/// without the secret has no code: six digits would be found by trying them on a plain hash. Each attempt to send an SMS
/// derives the same code. The secret depends on the app's master key: with another one, codes that were sent are void.
package struct SMSSecret: Sendable {
    private let key: SymmetricKey

    /// The number of digits of a code.
    package static let digits = 6

    /// - Parameter masterKey: The app's master key.
    package init(masterKey: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(masterKey.revealed.utf8)),
            info: Array("lcfile sms".utf8),
            outputByteCount: 32
        )
    }

    /// The code of a random number, six digits, all equally probable but for 1 in 2⁴⁴.
    func code(_ nonce: String, _ purpose: SMSPurpose, to number: PhoneNumber) -> Secret {
        let input = Array("\(nonce) \(purpose.rawValue) \(number)".utf8)
        let digest = HMAC<SHA256>.authenticationCode(for: input, using: key)
        let value = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        let text = String(value)
        return Secret(String(repeating: "0", count: SMSSecret.digits - text.count) + text)
    }

    /// A new random number.
    static func nonce() -> String { RandomString.lowercase(24) }
}

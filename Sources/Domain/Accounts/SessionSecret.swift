internal import Crypto

/// The secret of an app from which the token is derived that all log-ins of a user share.
///
/// The token can be derived again at each log-in, so it is not stored: a copy of the database without the secret gives
/// no token. It depends on the id of its session, so it ends with the session. The secret depends on the app's master
/// key: with another one, the next log-in begins another session, and tokens that clients have stay valid.
package struct SessionSecret: Sendable {
    private let key: SymmetricKey

    /// - Parameter masterKey: The app's master key.
    package init(masterKey: Secret) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(masterKey.revealed.utf8)),
            info: Array("lcfile session".utf8),
            outputByteCount: 32
        )
    }

    /// The token of a session of a user, in the form of LeanCloud's (protocol/data 6.3).
    func token(of session: ObjectID, user: ObjectID) -> SessionToken {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(user) \(session)".utf8), using: key)
        return SessionToken(digitsOf: Array(code))
    }
}

extension SessionToken {
    /// The 25 lowest digits in base 36 of a number of 256 bits: all tokens are equally probable, but for 1 in 2¹²⁶.
    fileprivate init(digitsOf number: [UInt8]) {
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        var number = number
        let text = (0..<SessionToken.length).map { _ in
            var remainder = 0
            for index in number.indices {
                let value = remainder << 8 | Int(number[index])
                number[index] = UInt8(value / digits.count)
                remainder = value % digits.count
            }
            return digits[remainder]
        }
        self.init(derived: String(text))
    }
}

internal import Crypto

/// Signs and checks the short-lived addresses under which reviewers and the webhook get an image, also a blocked
/// one.
///
/// The path is `/1.1/censorship/files/<app>/<id>/<expires>/<signature>`. Its key is derived from the app's master key:
/// a new master key invalidates all addresses, and an address reveals nothing about the key.
package struct PreviewAddress: Sendable {
    /// The maximum life of an address in seconds: one day.
    package static let maxLife: Int64 = 86_400
    /// The first part of each path, with the final slash.
    package static let prefix = "/1.1/censorship/files/"

    private let app: AppID
    private let key: SymmetricKey

    /// - Parameters:
    ///   - app: The app of the files.
    ///   - masterKey: The app's master key.
    package init(app: AppID, masterKey: Secret) {
        self.app = app
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(masterKey.revealed.utf8)),
            info: Array("lcfile preview".utf8),
            outputByteCount: 32
        )
    }

    /// The path of a file's address.
    ///
    /// - Parameters:
    ///   - file: The file's id.
    ///   - seconds: The life of the address, at most ``maxLife``.
    ///   - now: The current time.
    /// - Returns: The path, of which every character is unreserved or a slash.
    package func path(of file: ObjectID, for seconds: Int64, from now: Timestamp) -> String {
        let expires = String(now.wholeSeconds + min(seconds, PreviewAddress.maxLife))
        let signature = HMAC<SHA256>.authenticationCode(for: signed(file.description, expires), using: key).hexadecimal
        return "\(PreviewAddress.prefix)\(app)/\(file)/\(expires)/\(signature)"
    }

    /// Checks the segments of a path; compares in constant time.
    ///
    /// The caller finds the app by the path's first segment, and checks with the ``PreviewAddress`` of that app.
    ///
    /// - Parameters:
    ///   - file: The segment with the file's id.
    ///   - expires: The segment with the time of expiry in Unix seconds.
    ///   - signature: The last segment.
    ///   - now: The current time.
    /// - Returns: The file's id.
    /// - Throws: ``ServiceError/Code/forbidden`` if the signature is wrong, the address has expired, or it expires
    ///   later than ``maxLife`` from now.
    package func verified(
        file: String,
        expires: String,
        signature: String,
        at now: Timestamp
    ) throws -> ObjectID {
        // Exactly lower-case digits, because an address must have one valid string only.
        guard let id = ObjectID(file), let time = UnixSeconds(expires)?.value,
            let code = [UInt8](hexadecimal: signature), code.hexadecimal == signature,
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: signed(file, expires), using: key),
            time <= now.wholeSeconds + PreviewAddress.maxLife
        else {
            throw ServiceError(.forbidden, "The address of this preview is wrong.")
        }
        guard time > now.wholeSeconds else {
            throw ServiceError(.forbidden, "The address of this preview has expired; request the file's state again.")
        }
        return id
    }

    /// None of the three contains a slash, so two different triples never have the same string.
    private func signed(_ file: String, _ expires: String) -> [UInt8] {
        Array("\(app)/\(file)/\(expires)".utf8)
    }
}

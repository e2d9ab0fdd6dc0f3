internal import Crypto
internal import CryptoExtras
internal import FoundationEssentials

/// scrypt (RFC 7914) with r = 8 and p = 1, in the form `$scrypt$ln=15,r=8,p=1$<salt>$<hash>`.
struct ScryptHash: Sendable {
    /// The base-2 logarithm of N.
    let cost: Int

    /// Hashes a password with a salt of 16 random bytes; returns the string to store.
    func hash(_ password: String) throws -> String {
        var generator = SystemRandomNumberGenerator()
        let salt = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        return Stored(cost: cost, salt: salt, hash: try ScryptHash.derive(password, salt, cost)).text
    }

    /// A stored hash, possibly with another cost.
    struct Stored {
        let cost: Int
        let salt: Data
        let hash: Data

        init(cost: Int, salt: Data, hash: Data) {
            self.cost = cost
            self.salt = salt
            self.hash = hash
        }

        /// Parses a stored hash; `nil` if it has another form.
        init?(_ text: String) {
            let parts = text.split(separator: "$")
            guard parts.count == 4, parts[0] == "scrypt", parts[1].hasPrefix("ln="), parts[1].hasSuffix(",r=8,p=1"),
                let cost = Int(parts[1].dropFirst(3).dropLast(8)), (1...20).contains(cost),
                let salt = Data(base64Encoded: String(parts[2])), let hash = Data(base64Encoded: String(parts[3]))
            else { return nil }
            self.init(cost: cost, salt: salt, hash: hash)
        }

        var text: String {
            "$scrypt$ln=\(cost),r=8,p=1$\(salt.base64EncodedString())$\(hash.base64EncodedString())"
        }

        /// Whether the password matches the hash; compares in constant time.
        func matches(_ password: String) throws -> Bool {
            hash.isSame(as: try ScryptHash.derive(password, salt, cost))
        }
    }

    private static func derive(_ password: String, _ salt: Data, _ cost: Int) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8),
            salt: salt,
            outputByteCount: 32,
            rounds: 1 << cost,
            blockSize: 8,
            parallelism: 1
        )
        return key.withUnsafeBytes { Data($0) }
    }
}

extension Data {
    /// Compares the bytes in a time that does not depend on where they differ.
    func isSame(as other: Data) -> Bool {
        // Digests have one length and compare in constant time.
        SHA256.hash(data: self) == SHA256.hash(data: other)
    }
}

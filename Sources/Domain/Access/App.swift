internal import Crypto

/// The id of one LeanCloud application: 1 to 64 letters, digits, `-` and `_`, beginning with a letter or digit.
///
/// It is the name of the app's folder in the storage, so other characters are not allowed.
package struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The id as a string.
    package let description: String

    /// Parses an id from a client or a configuration; `nil` if it has another form.
    package init?(_ text: String) {
        let allowed = text.utf8.allSatisfy {
            $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
        }
        guard (1...64).contains(text.utf8.count), allowed, text.utf8.first?.isASCIIAlphanumeric == true
        else { return nil }
        description = text
    }

    /// The name of the app's bucket on the wire: the first 8 characters of the id, as on LeanCloud (protocol/files 6).
    package var bucket: String {
        String(description.prefix(8))
    }
}

/// A key or another secret; never printed, compared in constant time.
package struct Secret: Sendable, CustomStringConvertible {
    private let text: String

    /// Creates a secret; every string is valid.
    package init(_ text: String) {
        self.text = text
    }

    /// The secret itself, for hashing and for printing it once to the operator.
    package var revealed: String { text }

    /// Never the secret, so that no log line can contain it.
    package var description: String { "<secret>" }

    /// Whether the secrets are equal, in a time that does not depend on their difference or length.
    ///
    /// Compares digests, which have one length and a constant-time `==`.
    package func matches(_ candidate: some StringProtocol) -> Bool {
        SHA256.hash(data: Array(text.utf8)) == SHA256.hash(data: Array(String(candidate).utf8))
    }
}

/// The keys of an app: the app key, which every copy of the app contains, the master key, which grants all rights, and
/// the key of those who only look at the console.
package struct AppKeys: Sendable {
    /// The key that every copy of the app contains.
    package let appKey: Secret
    /// The key that grants all rights; for the operator only.
    package let masterKey: Secret
    /// The key with which the console only reads, and which the API does not take; `nil` for none.
    package let consoleReadKey: Secret?

    /// Creates the keys; the configuration checks that they differ.
    package init(appKey: Secret, masterKey: Secret, consoleReadKey: Secret? = nil) {
        self.appKey = appKey
        self.masterKey = masterKey
        self.consoleReadKey = consoleReadKey
    }
}

internal import Crypto

/// The id of one LeanCloud application: 1 to 64 letters, digits, `-` and `_`, beginning with a letter or digit.
///
/// It names the app's folder in the storage, so nothing else may be in it.
package struct AppID: Hashable, Sendable, CustomStringConvertible {
    /// The id as it is written.
    package let description: String

    /// Takes an id from a client or a configuration, or `nil` if it breaks the rule above.
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

    /// Takes the secret; every string is valid.
    package init(_ text: String) {
        self.text = text
    }

    /// The key itself, for printing it once to the operator, and for hashing.
    package var revealed: String { text }

    /// Never the secret, so that no log line can contain it.
    package var description: String { "<secret>" }

    /// Whether the secrets are equal, in a time that does not depend on where they differ or how long they are.
    ///
    /// Digests are compared, because those have one length and an `==` in constant time.
    package func matches(_ candidate: some StringProtocol) -> Bool {
        SHA256.hash(data: Array(text.utf8)) == SHA256.hash(data: Array(candidate.utf8))
    }
}

/// The two keys of an app: one that every copy of the app carries, one that opens everything.
package struct AppKeys: Sendable {
    /// What every copy of the app carries.
    package let appKey: Secret
    /// What opens everything; the operator's own.
    package let masterKey: Secret

    /// Takes both keys; that they differ was checked by the configuration.
    package init(appKey: Secret, masterKey: Secret) {
        self.appKey = appKey
        self.masterKey = masterKey
    }
}

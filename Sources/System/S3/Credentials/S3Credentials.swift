/// The keys with which requests to an S3 store are signed.
///
/// They are sent nowhere: a request carries the access key's name and a signature. A description, also by a debugger's
/// dump, shows none of them.
package struct S3Credentials: Sendable, CustomStringConvertible, CustomReflectable {
    let accessKey: String
    let secretKey: String
    let sessionToken: String?

    /// - Parameters:
    ///   - accessKey: The id of the key.
    ///   - secretKey: The key.
    ///   - sessionToken: The token of temporary credentials; `nil` for permanent ones.
    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// A text without the keys.
    package var description: String { "S3Credentials" }
    /// A mirror without the keys.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

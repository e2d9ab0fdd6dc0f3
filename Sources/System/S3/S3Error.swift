/// Why an S3 store did not do what was requested.
package struct S3Error: Error, CustomStringConvertible {
    /// The kinds of errors that callers distinguish.
    package enum Reason: Sendable {
        /// The settings cannot be used: a malformed endpoint, the wrong region, a bucket that does not exist.
        case settings
        /// There is no such object.
        case missing
        /// The object has more bytes than the caller takes.
        case tooLarge
        /// The store refuses: credentials, permissions, the request.
        case refused
        /// This machine's clock differs too much from the store's.
        case clock
        /// The store has no space left.
        case full
        /// The bytes that arrived are not those that were stored.
        case damaged
        /// The store cannot be reached, is overloaded or fails; a later attempt can succeed.
        case unavailable
        /// A local file cannot be read or written.
        case local
        /// The caller ended the request.
        case stopped
    }

    /// The kind of error.
    package let reason: Reason
    /// What failed, for an operator: one line, without keys.
    package let description: String
    /// The store's code, such as `NoSuchKey`; empty without one.
    package let code: String
    /// Whether the same request can succeed in a moment.
    let isTemporary: Bool
    /// The seconds before which the store wants no other attempt; 0 without such a wish.
    let retryAfter: Int

    /// Creates an error.
    package init(_ reason: Reason, _ description: String) {
        self.init(reason, description, code: "", isTemporary: false)
    }

    init(_ reason: Reason, _ description: String, code: String = "", isTemporary: Bool, retryAfter: Int = 0) {
        self.reason = reason
        self.description = description
        self.code = code
        self.isTemporary = isTemporary
        self.retryAfter = retryAfter
    }
}

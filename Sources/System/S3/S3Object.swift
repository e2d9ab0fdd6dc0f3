/// What a store says of an object.
package struct S3Object: Sendable, Equatable {
    /// The key.
    package let key: String
    /// The number of bytes.
    package let size: Int64
    /// When it was stored, in seconds since 1970, by the store's clock; 0 if it does not say.
    package let modified: Int64
    /// The ETag without quotation marks; empty without one.
    package let tag: String
    /// The values of the header fields `x-amz-meta-…` by the rest of their names in lower case; empty in lists, which
    /// do not have them.
    package var metadata: [String: String] = [:]
}

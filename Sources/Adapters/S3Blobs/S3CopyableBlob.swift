package import Domain

/// Staged bytes that are in the bucket of the blobs, so that the store copies them and the server does not.
package protocol S3CopyableBlob: StagedBlob {
    /// Copies the finished bytes to an object of the same bucket; replaces an object of that name.
    ///
    /// The bytes stay staged. On return, the store has acknowledged the whole object. A failure leaves no object and no
    /// parts of one, as far as the store can be reached; ``S3BlobStore`` compares the size of the object afterwards.
    ///
    /// - Parameters:
    ///   - name: The object's name in the bucket.
    ///   - facts: The facts of the finished bytes.
    ///   - headers: Header fields of the new object, such as `x-amz-meta-…`: of the copying request, or of the request
    ///     that begins an upload in parts.
    /// - Throws: ``ServiceError/Code/internalFailure`` if the staged bytes do not match the facts; errors of the storage
    ///   and `S3Error`.
    func copy(to name: String, _ facts: BlobFacts, headers: [(name: String, value: String)]) async throws
}

package import Domain

/// Staged bytes that are in the bucket of the blobs, so that the store copies them and the server does not.
package protocol S3CopyableBlob: StagedBlob {
    /// Copies the finished bytes to an object of the same bucket; replaces an object of that name.
    ///
    /// The bytes stay staged, and go through the server only where the new blob is encrypted otherwise. On return, the store has acknowledged the whole object. A failure leaves no object and no
    /// parts of one, as far as the store can be reached; ``S3BlobStore`` compares the size of the object afterwards.
    ///
    /// - Parameter new: The blob, with the name of the object.
    /// - Returns: The size of the object in bytes.
    /// - Throws: ``ServiceError/Code/internalFailure`` if the staged bytes do not match the facts; errors of the storage
    ///   and `S3Error`.
    func copy(to new: S3NewBlob) async throws -> Int64
}

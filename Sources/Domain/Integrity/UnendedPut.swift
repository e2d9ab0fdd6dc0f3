/// A put into a store that several servers share, which has begun and not ended: the store has its claim.
///
/// It goes on, or its server has ended without a trace. Its key is taken as long as the claim is there.
package struct UnendedPut: Sendable, Hashable {
    /// The blob of the key.
    package let blob: BlobName
    /// The file, or another name of its put (``PutName``).
    package let file: ObjectID
    /// Whether the put began more than a day ago: none takes as long.
    package let isOld: Bool

    /// Creates the value.
    package init(blob: BlobName, file: ObjectID, isOld: Bool) {
        self.blob = blob
        self.file = file
        self.isOld = isOld
    }
}

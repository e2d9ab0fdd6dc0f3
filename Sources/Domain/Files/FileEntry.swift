/// The fields of a file record that a backup needs: the blob's key and facts.
package struct FileEntry: Sendable, Hashable {
    /// The objectId.
    package let id: ObjectID
    /// The key, which determines the blob's name.
    package let key: FileKey
    /// The facts of the uploaded bytes.
    package let facts: BlobFacts
    /// The file of the mirror whose bytes the file took over (``FileRecord/replaced``).
    package let replaced: ObjectID?
    /// The blob with its bytes.
    package var blob: FileBlob { FileBlob(key: key, file: id, replaced: replaced) }

    /// Creates an entry from the values of a record.
    package init(id: ObjectID, key: FileKey, facts: BlobFacts, replaced: ObjectID? = nil) {
        self.id = id
        self.key = key
        self.facts = facts
        self.replaced = replaced
    }
}

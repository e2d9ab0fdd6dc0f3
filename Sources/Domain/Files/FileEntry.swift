/// A file record as far as a backup needs it: which blob it has, and what must be in it.
package struct FileEntry: Sendable, Hashable {
    /// The objectId.
    package let id: ObjectID
    /// The blob's name.
    package let key: FileKey
    /// What was uploaded.
    package let facts: BlobFacts

    /// Takes what a record says.
    package init(id: ObjectID, key: FileKey, facts: BlobFacts) {
        self.id = id
        self.key = key
        self.facts = facts
    }
}

/// The blob of a file.
package struct FileBlob: Sendable, Hashable {
    /// The key of the file.
    package let key: FileKey
    /// The id of the file; `nil` if it is unknown: then it is the blob of any file that has the key.
    package let file: ObjectID?
    /// The file of the mirror whose bytes the file took over (``FileRecord/replaced``); `nil` for most.
    package let replaced: ObjectID?

    /// Creates the value.
    package init(key: FileKey, file: ObjectID?, replaced: ObjectID? = nil) {
        self.key = key
        self.file = file
        self.replaced = replaced
    }

    /// Whether a blob that was put under an id is that of the file; `true` for every id if the file is unknown.
    package func isPut(under id: ObjectID) -> Bool {
        guard let file else { return true }
        return PutName.isPut(id, of: file) || replaced.map { PutName.isPut(id, of: $0) } ?? false
    }
}

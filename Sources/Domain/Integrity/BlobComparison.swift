/// The blobs of one folder and the records that name them, side by side.
///
/// Both are in the order of names, so one pass finds what one side lacks.
package struct BlobComparison: Sendable {
    /// The blobs that no record names.
    package private(set) var unnamed: [BlobName] = []
    /// The records without a blob.
    package private(set) var missing: [FileEntry] = []
    /// The records with a blob.
    package private(set) var present: [NamedFile] = []

    /// Compares.
    ///
    /// - Parameters:
    ///   - names: The blobs in a folder, in ascending order; a repeated one counts once.
    ///   - files: The records whose blobs belong in the folder, in ascending order of the blobs' names.
    package init(of names: [BlobName], with files: [NamedFile]) {
        var rest = files[...]
        var last: BlobName?
        for name in names where name != last {
            last = name
            while let file = rest.first, file.blob < name {
                missing.append(file.entry)
                rest.removeFirst()
            }
            if let file = rest.first, file.blob == name {
                present.append(file)
                rest.removeFirst()
            } else {
                unnamed.append(name)
            }
        }
        missing += rest.map(\.entry)
    }
}

/// A file's record and the name of its blob.
package struct NamedFile: Sendable, Hashable {
    /// The name of the blob.
    package let blob: BlobName
    /// The record.
    package let entry: FileEntry

    /// Creates the value for a record.
    package init(_ entry: FileEntry) {
        blob = BlobName(entry.key)
        self.entry = entry
    }
}

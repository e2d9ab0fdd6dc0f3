/// The file in an app's folder that says that the bytes of the app's files are in a bucket.
///
/// Without the file, a server that is started without the setting `blobs.store` would not find the blobs of its records,
/// and would put new ones into the folder. The bucket's address is not in the file, because buckets are copied and
/// renamed: the bucket's own object with the same id tells that it is the right one.
package struct BlobMarker: Sendable, Equatable {
    /// The name of the file.
    package static let name = "lcfile.bucket"

    /// One of the ids in the object of the bucket (``BlobPlacement``).
    package let id: String

    /// Creates a marker.
    package init(id: String) {
        self.id = id
    }

    private static let file = MarkerFile(name: name, fields: ["id"])

    /// Reads the marker in an app's folder; `nil` if there is none.
    ///
    /// - Throws: ``ExitError`` if the file cannot be read, or has another form.
    package static func read(in folder: String) throws -> BlobMarker? {
        try file.read(in: folder).map { BlobMarker(id: $0[0]) }
    }

    /// Reads a marker that ``prepare(in:)`` wrote and that did not get its name.
    package static func readPrepared(in folder: String) throws -> BlobMarker? {
        try file.readDraft(in: folder).map { BlobMarker(id: $0[0]) }
    }

    /// Writes the marker under another name, before the bucket gets its id; on return it is on the disk.
    package func prepare(in folder: String) throws {
        try BlobMarker.file.writeDraft([id], in: folder)
    }

    /// Writes the marker into an app's folder; on return it is on the disk.
    ///
    /// - Throws: ``ExitError``; the folder then has no marker, or the whole one.
    package func write(in folder: String) throws {
        try BlobMarker.file.write([id], in: folder)
    }

    /// Removes the marker of an app's folder; on return that is on the disk.
    package static func remove(in folder: String) throws {
        try file.remove(in: folder)
    }
}

/// The name of a put of a file's blob: the file's id, or with a number if holders of earlier leases did not end them.
///
/// Each holder of a lease has its own name, so a server that lost its lease without knowing it cannot overwrite, hide or
/// remove the blob of its successor: the blob store treats the two as two files with one key (``BlobStore``).
package struct PutName: Sendable, Hashable {
    /// The file.
    package let file: ObjectID
    /// The number of earlier puts that were not ended; 0 for most files.
    package let number: Int

    /// The id for the blob store and the note.
    ///
    /// An imported id of more than 56 characters leaves no space for a number.
    package var id: ObjectID { number == 0 ? file : ObjectID("\(file)\(PutName.mark)\(number)") ?? file }

    private static let mark: Character = "p"

    /// Whether an id can be that of a later put; imported ids can look like one.
    package init?(numbered id: ObjectID) {
        let text = id.description
        guard let mark = text.lastIndex(of: PutName.mark), let file = ObjectID(String(text[..<mark])),
            let number = Int(text[text.index(after: mark)...]), number > 0
        else { return nil }
        self.init(file: file, number: number)
    }

    /// Creates a name.
    package init(file: ObjectID, number: Int) {
        self.file = file
        self.number = number
    }

    /// Whether an id in the name of a blob is that of a put for a file.
    package static func isPut(_ id: ObjectID, of file: ObjectID) -> Bool {
        id == file || PutName(numbered: id)?.file == file
    }
}

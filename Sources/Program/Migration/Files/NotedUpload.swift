internal import FileClient

/// An unfinished upload as the journal notes it: its URL, and the version of the file on the disk whose bytes it has.
struct NotedUpload: Equatable {
    private let location: String
    /// The version; `nil` for bytes behind a URL, and in journals of earlier versions.
    private let version: String?

    init(_ location: String, of version: FileVersion?) {
        self.location = location
        self.version = version?.description
    }

    /// Parses the text of a note.
    init(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        location = parts.first.map(String.init) ?? ""
        version = parts.count > 1 ? String(parts[1]) : nil
    }

    /// The text of the note.
    var text: String { version.map { "\(location) \($0)" } ?? location }

    /// The URL, to continue with a file; `nil` if the upload has bytes of another version of it.
    func location(for version: FileVersion?) -> String? {
        self.version == version?.description ? location : nil
    }
}

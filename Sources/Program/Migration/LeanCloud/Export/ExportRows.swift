/// The values in some parts of an export, one after the other.
///
/// Blocks its thread.
struct ExportRows {
    /// A value, or what is in its place.
    struct Row {
        /// The file and the line: `Post.0.jsonl, line 17`.
        let place: String
        /// The bytes, or why they cannot be used.
        let content: Result<[UInt8], MigrationError>
    }

    private var files: ExportFiles
    private var current: (path: String, elements: ElementReader)?

    /// - Parameters:
    ///   - export: The export.
    ///   - isWanted: Which parts are read.
    /// - Throws: ``MigrationError`` if the export cannot be read.
    init(_ export: Export, where isWanted: @escaping (ExportPart) -> Bool) throws {
        files = try ExportFiles(export.path) { path in export.parts[path].map(isWanted) ?? false }
    }

    /// The next value; `nil` at the end.
    mutating func next() throws -> Row? {
        while true {
            if current == nil {
                guard let file = try files.next() else { return nil }
                let path = file.path.split(separator: "/").last.map(String.init) ?? file.path
                current = (path, ElementReader(file.bytes, path: path))
            }
            do {
                if let element = try current?.elements.next() {
                    let place = "\(current?.path ?? ""), line \(element.line)"
                    return Row(place: place, content: element.content)
                }
            } catch let error as MigrationError {
                // A damaged file must not hide the others of a folder; a damaged archive fails at its next file.
                let path = current?.path ?? ""
                current = nil
                return Row(place: path, content: .failure(error))
            }
            current = nil
        }
    }
}

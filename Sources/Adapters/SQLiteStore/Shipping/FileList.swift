internal import Domain
internal import Glibc

/// The lists of new files in the spool, one for each segment.
///
/// Not thread-safe.
struct FileList {
    private let folder: String
    private var number = 0
    private var file: LogDescriptor?
    private var size: Int64 = 0

    init(folder: String) {
        self.folder = folder
    }

    private var path: String { "\(folder)/\(number).files" }

    /// Adds files to the current list.
    mutating func add(_ files: [FileEntry]) throws {
        guard !files.isEmpty else { return }
        let file: LogDescriptor
        if let open = self.file {
            file = open
        } else {
            number += 1
            size = 0
            file = try LogDescriptor(path, flags: O_RDWR | O_CREAT | O_EXCL)
            self.file = file
        }
        let lines = Array(files.map { FileLine.line(of: $0) + "\n" }.joined().utf8)
        try lines.withUnsafeBytes { try file.write($0, at: size) }
        size += Int64(lines.count)
    }

    /// Ends the current list.
    ///
    /// - Returns: Its path; `nil` if it would be empty.
    mutating func cut() -> String? {
        guard file != nil else { return nil }
        file = nil
        return path
    }
}

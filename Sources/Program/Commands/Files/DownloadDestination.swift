internal import Glibc

/// Where downloads go.
enum DownloadDestination: Equatable, Sendable {
    case standardOutput
    case file(String)
    /// An existing folder; each file has its own name there.
    case folder(String)

    /// - Parameters:
    ///   - output: A path or `-`; `nil` for the current folder.
    ///   - holdsSeveral: Whether it must be a folder.
    /// - Throws: ``UsageError`` if it cannot be created, or is a file and must be a folder.
    init(_ output: String?, holdsSeveral: Bool) throws(UsageError) {
        guard let output else {
            self = .folder(".")
            return
        }
        guard output != "-" else {
            self = .standardOutput
            return
        }
        var status = stat()
        if stat(output, &status) == 0 {
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            guard isFolder || !holdsSeveral else { throw UsageError("\(output) is not a folder") }
            self = isFolder ? .folder(output) : .file(output)
        } else if holdsSeveral || output.hasSuffix("/") {
            guard mkdir(output, 0o777) == 0 else {
                throw UsageError("the folder \(output) cannot be created: \(String(cString: strerror(errno)))")
            }
            self = .folder(output)
        } else {
            self = .file(output)
        }
    }

    /// The path of a file with a name; `nil` for standard output.
    func path(of name: String) -> String? {
        switch self {
        case .standardOutput: nil
        case .file(let path): path
        case .folder(let folder):
            if folder == "." {
                DownloadDestination.safe(name)
            } else {
                "\(folder)\(folder.hasSuffix("/") ? "" : "/")\(DownloadDestination.safe(name))"
            }
        }
    }

    /// The name as that of a file in a folder: the last part of a path, without control characters, at most 240 bytes
    /// with the extension at its end.
    ///
    /// Names come from other users. They must not lead out of the folder, and partial files add a few bytes.
    static func safe(_ name: String) -> String {
        // By bytes: a slash before a combining mark is another character for Swift.
        let component = name.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        let last = Terminal.printable(component)
        guard !last.isEmpty, last != ".", last != ".." else { return "file" }
        guard last.utf8.count > 240 else { return last }
        let dot = last.lastIndex(of: ".") ?? last.endIndex
        let ending = last[dot...].utf8.count <= 20 ? String(last[dot...]) : ""
        var stem = String(last.dropLast(ending.count))
        while stem.utf8.count + ending.utf8.count > 240 { stem.removeLast() }
        return stem + ending
    }
}

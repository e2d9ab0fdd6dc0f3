internal import Glibc

/// The files of an export, one after the other: those of a folder, the entries of an archive, or a single file.
///
/// Blocks its thread.
struct ExportFiles {
    /// A file that is open for reading.
    struct File {
        /// The file's path in the export.
        let path: String
        /// The file's bytes, uncompressed.
        let bytes: ByteReader
    }

    private enum Place {
        case paths(ArraySlice<String>)
        case archive(ArchiveReader)
    }

    private let root: String
    private var place: Place
    private let isWanted: (String) -> Bool

    /// Opens an export.
    ///
    /// - Parameters:
    ///   - root: A folder, an archive or a file.
    ///   - isWanted: Whether a file is opened, by its path in the export.
    /// - Throws: ``MigrationError`` if it cannot be read.
    init(_ root: String, where isWanted: @escaping (String) -> Bool) throws {
        self.root = root
        self.isWanted = isWanted
        var status = stat()
        guard stat(root, &status) == 0 else {
            throw MigrationError("\(root) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            place = .archive(try ArchiveReader(path: root))
            return
        }
        place = .paths(try ExportFiles.paths(in: root)[...])
    }

    /// The next wanted file, after which the one before must not be read any more; `nil` at the end.
    mutating func next() throws -> File? {
        switch place {
        case .paths(var rest):
            while let path = rest.popFirst() {
                guard isWanted(path) else { continue }
                place = .paths(rest)
                let archive = try ArchiveReader(path: "\(root)/\(path)")
                guard try archive.nextEntry() != nil, archive.isSingleFile else {
                    return File(path: path, bytes: ByteReader { _ in 0 })
                }
                return File(path: path, bytes: ByteReader { try archive.read($0) })
            }
            place = .paths(rest)
            return nil
        case .archive(let archive):
            while let path = try archive.nextEntry() {
                guard isWanted(path) else { continue }
                guard path.hasSuffix(".gz"), !archive.isSingleFile else {
                    return File(path: path, bytes: ByteReader { try archive.read($0) })
                }
                let inner = try ArchiveReader(entryOf: archive, named: path)
                return File(path: path, bytes: ByteReader { try inner.read($0) })
            }
            return nil
        }
    }

    /// The regular files of a folder and its folders, in the order of their paths; hidden ones are left out.
    private static func paths(in root: String) throws -> [String] {
        var found: [String] = []
        var folders = [""]
        while let folder = folders.popLast() {
            // The bytes of files, which `lcfile export` writes there, are no part of the tables.
            for name in try names(in: folder.isEmpty ? root : "\(root)/\(folder)")
            where !name.hasPrefix(".") && !(folder.isEmpty && name == "files") {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                var status = stat()
                guard lstat("\(root)/\(path)", &status) == 0 else { continue }
                switch status.st_mode & S_IFMT {
                case S_IFDIR: folders.append(path)
                case S_IFREG: found.append(path)
                default: continue
                }
            }
        }
        return found.sorted()
    }

    /// The names in a folder that are UTF-8; exports have no others.
    private static func names(in path: String) throws -> [String] {
        var names: [String] = []
        do {
            let folder = try OpenFolder(path)
            while let name = try folder.next() { if let name { names.append(name) } }
        } catch {
            throw MigrationError("\(path): \(error)")
        }
        return names
    }
}

internal import FileClient
internal import Glibc

/// The files of a folder and of the folders in it, in the order of the disk.
///
/// One open folder for each level of depth is in memory, independent of the number of files.
package struct FolderWalk: ItemSource {
    private struct Level {
        let folder: OpenFolder
        /// The path in the imported folder; empty for the imported folder.
        let path: String
    }

    private let root: String
    private let rules: PathRules
    private let template: FileTemplate
    private var levels: [Level] = []
    private var failure: (name: String, reason: String)?

    /// Opens a folder.
    ///
    /// - Parameters:
    ///   - root: The folder.
    ///   - rules: Which files are taken.
    ///   - template: What the server stores about every file.
    package init(_ root: String, _ rules: PathRules, _ template: FileTemplate) {
        self.root = root.hasSuffix("/") && root.count > 1 ? String(root.dropLast()) : root
        self.rules = rules
        self.template = template
        enter("")
    }

    /// The next file, or a folder that cannot be read.
    package mutating func next() throws -> SourceElement<FileItem>? {
        while true {
            if let failure {
                self.failure = nil
                return .unusable(name: failure.name, reason: failure.reason)
            }
            guard let level = levels.last else { return nil }
            let name: String?
            do {
                guard let entry = try level.folder.next() else {
                    levels.removeLast()
                    continue
                }
                name = entry
            } catch {
                levels.removeLast()
                return .unusable(name: full(level.path), reason: "\(error)")
            }
            guard let name else {
                return .unusable(name: full(level.path), reason: "a name in this folder is not UTF-8")
            }
            if let element = element(level.path.isEmpty ? name : "\(level.path)/\(name)", name) { return element }
        }
    }

    private mutating func element(_ path: String, _ name: String) -> SourceElement<FileItem>? {
        var status = stat()
        guard (rules.followsLinks ? stat(full(path), &status) : lstat(full(path), &status)) == 0 else {
            guard rules.takesFile(path) else { return nil }
            return .unusable(name: full(path), reason: String(cString: strerror(errno)))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG:
            guard rules.takesFile(path) else { return nil }
            return .item(FileItem(full(path), status, template.description(named: name, path: path)))
        case S_IFDIR:
            if rules.takesFolder(path) { enter(path) }
            return nil
        default: return nil
        }
    }

    private mutating func enter(_ path: String) {
        do {
            let folder = try OpenFolder(full(path))
            guard !levels.contains(where: { $0.folder.isSame(as: folder) }) else {
                failure = (full(path), "a symbolic link leads back to a folder above it")
                return
            }
            levels.append(Level(folder: folder, path: path))
        } catch {
            failure = (full(path), "\(error)")
        }
    }

    private func full(_ path: String) -> String {
        path.isEmpty ? root : root == "/" ? "/\(path)" : "\(root)/\(path)"
    }
}

extension FileItem {
    /// A regular file of the disk.
    init(_ path: String, _ status: stat, _ description: UploadDescription, about: String = "") {
        name = path
        size = Int64(status.st_size)
        fingerprint = "\(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)\(about)"
        content = .path(path)
        self.description = description
    }
}

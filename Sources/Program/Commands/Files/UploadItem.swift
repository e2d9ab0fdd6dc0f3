internal import FileClient
internal import Glibc
internal import Storage

/// One file that is uploaded.
struct UploadItem: TransferredFile {
    /// Where its bytes are.
    enum Source: Sendable {
        /// A regular file.
        case file(FileVersion)
        case standardInput
        /// Nothing that can be uploaded.
        case unusable(String)
    }

    /// The path, or `-`.
    let name: String
    let size: Int64?
    let source: Source

    /// The files of the arguments; folders are replaced by the files in them.
    ///
    /// Arguments follow symbolic links. Inside folders links are left out: they could lead anywhere, also in circles.
    static func items(of arguments: [String]) -> [UploadItem] {
        arguments.flatMap { path -> [UploadItem] in
            guard path != "-" else { return [UploadItem(name: path, size: nil, source: .standardInput)] }
            var status = stat()
            guard stat(path, &status) == 0 else {
                return [unusable(path, String(cString: strerror(errno)))]
            }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return [file(path, status)]
            case S_IFDIR: return files(in: path.hasSuffix("/") ? String(path.dropLast()) : path)
            default: return [unusable(path, "neither a file nor a folder")]
            }
        }
    }

    /// The files of a folder in the order of their names.
    private static func files(in folder: String) -> [UploadItem] {
        let names: [String]
        do {
            names = try FolderNames.all(in: folder)
        } catch {
            return [unusable(folder, "the folder cannot be read: \(error)")]
        }
        return names.sorted().flatMap { name -> [UploadItem] in
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { return [unusable(path, String(cString: strerror(errno)))] }
            switch status.st_mode & S_IFMT {
            case S_IFREG: return [file(path, status)]
            case S_IFDIR: return files(in: path)
            default: return []
            }
        }
    }

    private static func file(_ path: String, _ status: stat) -> UploadItem {
        UploadItem(name: path, size: Int64(status.st_size), source: .file(FileVersion(status)))
    }

    private static func unusable(_ path: String, _ reason: String) -> UploadItem {
        UploadItem(name: path, size: 0, source: .unusable(reason))
    }
}

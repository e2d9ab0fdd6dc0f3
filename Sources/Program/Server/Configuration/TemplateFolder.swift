internal import FoundationEssentials
internal import Glibc
internal import Storage

/// A folder with the operator's texts: of mails and pages, or of SMS.
enum TemplateFolder {
    /// The maximum bytes of a template.
    private static let limit = 256 << 10

    /// Reads all files of the folder; names that begin with a dot, and `README.md`, are ignored.
    ///
    /// - Parameters:
    ///   - path: The folder.
    ///   - setting: The setting that names it, for messages.
    /// - Returns: The texts by the names of their files.
    /// - Throws: ``ExitError`` if the folder or a file cannot be read.
    static func read(_ path: String, of setting: String) throws(ExitError) -> [String: String] {
        let names: [String]
        do {
            names = try FolderNames.all(in: path)
        } catch {
            throw ExitError.configuration("\(setting): the folder \(path) cannot be read: \(error)")
        }
        var texts: [String: String] = [:]
        for name in names where !name.hasPrefix(".") && name != "README.md" {
            guard let data = try? Data(contentsOf: URL(filePath: "\(path)/\(name)")) else {
                throw ExitError.configuration("\(setting): the file \(path)/\(name) cannot be read")
            }
            guard data.count <= limit, let text = String(validating: data, as: UTF8.self) else {
                throw ExitError.configuration(
                    "\(setting): the file \(path)/\(name) must be UTF-8 of at most \(limit) bytes"
                )
            }
            texts[name] = text
        }
        return texts
    }

    /// Whether this process can read a file.
    static func isReadable(_ path: String) -> Bool { access(path, R_OK) == 0 }
}

internal import Glibc
internal import Storage

/// A file that contains one secret.
enum SecretFile {
    /// The maximum bytes of a file, far more than those of a key.
    static let limit = 4096

    /// Reads the secret: the text of the file without one line break at its end, which editors and `echo` add.
    ///
    /// - Parameters:
    ///   - path: A regular file or a pipe.
    ///   - name: The setting or variable that names the file, for messages.
    /// - Returns: The secret, which is not empty.
    /// - Throws: ``ExitError`` with the name, the path and the reason, never with bytes of the file.
    static func read(_ path: String, of name: String) throws(ExitError) -> String {
        func refusal(_ reason: String) -> ExitError { .configuration("\(name): the file \(path) \(reason)") }
        let file = uninterrupted { open(path, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { throw refusal("cannot be read: \(StorageFolder.systemError())") }
        defer { close(file) }

        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: limit)
        while bytes.count <= limit {
            let count = uninterrupted { Glibc.read(file, &piece, piece.count) }
            guard count >= 0 else { throw refusal("cannot be read: \(StorageFolder.systemError())") }
            guard count > 0 else { break }
            bytes += piece.prefix(count)
        }
        guard bytes.count <= limit else { throw refusal("has more than \(limit) bytes") }
        if bytes.last == 0x0A { bytes.removeLast(bytes.dropLast().last == 0x0D ? 2 : 1) }
        guard !bytes.isEmpty else { throw refusal("is empty") }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw refusal("is not UTF-8") }
        return text
    }
}

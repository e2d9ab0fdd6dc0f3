internal import Domain
internal import Glibc

/// A small file in an app's folder that says where data of the app is: one line `name: value` for each field.
struct MarkerFile {
    /// The name of the file.
    let name: String
    /// The names of its fields, in order.
    let fields: [String]

    private static let limit = 1024
    private static let draftEnd = ".partial"

    /// Reads the values in an app's folder, in the order of the fields; `nil` if there is no file.
    ///
    /// - Throws: ``ExitError`` if the file cannot be read, or has another form.
    func read(in folder: String) throws -> [String]? {
        let path = "\(folder)/\(name)"
        guard try StorageContents.isPresent(path) else { return nil }
        guard let values = values(try contents(of: path)) else {
            let lines = fields.map { "'\($0): \($0.uppercased())'" }.joined(separator: " and ")
            let count = fields.count == 1 ? "the line" : "the lines"
            throw ExitError.storage("\(path) is damaged: it must have \(count) \(lines)")
        }
        return values
    }

    /// Reads the values of a file that was written and did not get its name; `nil` if there is none, or if it is not
    /// complete.
    func readDraft(in folder: String) throws -> [String]? {
        let path = "\(folder)/\(name)\(MarkerFile.draftEnd)"
        guard try StorageContents.isPresent(path) else { return nil }
        return values(try contents(of: path))
    }

    /// Writes the file into an app's folder; on return it is on the disk.
    ///
    /// - Throws: ``ExitError``; the folder then has no file with the name, or the whole one.
    func write(_ values: [String], in folder: String) throws {
        try writeDraft(values, in: folder)
        try nameDraft(in: folder)
    }

    /// Writes the file under another name; on return it is on the disk.
    func writeDraft(_ values: [String], in folder: String) throws {
        let draft = "\(folder)/\(name)\(MarkerFile.draftEnd)"
        let file = FileBytes.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        let bytes = Array(zip(fields, values).map { "\($0): \($1)\n" }.joined().utf8)
        // A short write leaves a draft that no one reads.
        let isWritten =
            file >= 0 && uninterrupted { Glibc.write(file, bytes, bytes.count) } == bytes.count && fsync(file) == 0
        let reason = StorageFolder.systemError()
        if file >= 0 { close(file) }
        guard isWritten else { throw ExitError.storage("\(draft) cannot be written: \(reason)") }
        try StorageContents.synchronize(folder)
    }

    /// Gives a written file its name; on return that is on the disk.
    func nameDraft(in folder: String) throws {
        let path = "\(folder)/\(name)"
        try StorageContents.rename(path + MarkerFile.draftEnd, to: path)
        try StorageContents.synchronize(folder)
    }

    /// Removes the file of an app's folder; on return that is on the disk.
    func remove(in folder: String) throws {
        try StorageContents.remove("\(folder)/\(name)")
        try StorageContents.synchronize(folder)
    }

    /// At most ``limit`` bytes of a file; more are another form.
    private func contents(of path: String) throws -> String {
        let file = FileBytes.open(path, O_RDONLY | O_NOFOLLOW)
        guard file >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: MarkerFile.limit)
        var count = 0
        while count < bytes.count {
            let more = uninterrupted {
                bytes[count...].withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            }
            guard more >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
            if more == 0 { break }
            count += more
        }
        return count < bytes.count ? String(decoding: bytes[..<count], as: UTF8.self) : ""
    }

    private func values(_ text: String) -> [String]? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == fields.count + 1, lines.last?.isEmpty == true else { return nil }
        let values = zip(fields, lines).compactMap { field, line -> String? in
            guard line.hasPrefix("\(field): ") else { return nil }
            return String(line.dropFirst(field.count + 2))
        }
        return values.count == fields.count && !values.contains("") ? values : nil
    }
}

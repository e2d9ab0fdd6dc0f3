internal import Crypto
package import Domain
internal import Glibc

/// The file in an app's folder that says that the app's objects are in PostgreSQL, and in which schema.
///
/// An app's folder has a database of SQLite or this file. Without the file, a server that is started without the setting
/// `database.url` would create an empty database beside the blobs, and the sweep would remove them. The address is not in
/// the file, because it can contain a password, and because databases move.
package struct DatabaseMarker: Sendable, Equatable {
    /// The name of the file.
    package static let name = "lcfile.postgres"

    /// The schema with the app's tables.
    package let schema: String
    /// The id of the schema, made at random when its tables were created.
    ///
    /// A schema that was created anew, or belongs to another storage folder, has another one.
    package let id: String

    /// Creates a marker.
    package init(schema: String, id: String) {
        self.schema = schema
        self.id = id
    }

    /// The schema of an app that has none yet.
    ///
    /// - Parameter app: The app.
    /// - Returns: `lcfile_` and the id; of an id with which that would be longer than PostgreSQL's names, the first
    ///   characters and a digest of all.
    package static func schema(of app: AppID) -> String {
        let name = "lcfile_\(app)"
        guard name.utf8.count > 63 else { return name }
        return name.prefix(46) + "_" + SHA256.hash(data: Array(app.description.utf8)).prefix(8).hexadecimal
    }

    /// Reads the marker in an app's folder; `nil` if there is none.
    ///
    /// - Throws: ``ExitError`` if the file cannot be read, or has another form.
    package static func read(in folder: String) throws -> DatabaseMarker? {
        let path = "\(folder)/\(name)"
        guard try StorageContents.isPresent(path) else { return nil }
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: limit)
        var count = 0
        while count < limit {
            let more = bytes[count...].withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress, $0.count) }
            if more < 0, errno == EINTR { continue }
            guard more >= 0 else { throw ExitError.storage("\(path) cannot be read: \(StorageFolder.systemError())") }
            if more == 0 { break }
            count += more
        }
        guard count < limit, let marker = DatabaseMarker(String(decoding: bytes[..<count], as: UTF8.self)) else {
            throw ExitError.storage("\(path) is damaged: it must have the lines 'schema: NAME' and 'id: ID'")
        }
        return marker
    }

    /// Writes the marker into an app's folder; on return it is on the disk.
    ///
    /// - Throws: ``ExitError``; the folder then has no marker, or the whole one.
    package func write(in folder: String) throws {
        let draft = "\(folder)/\(DatabaseMarker.name).partial"
        let file = Glibc.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        let bytes = Array(text.utf8)
        // A short write leaves a draft that no one reads.
        let isWritten = file >= 0 && Glibc.write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let reason = StorageFolder.systemError()
        if file >= 0 { close(file) }
        guard isWritten else { throw ExitError.storage("\(draft) cannot be written: \(reason)") }
        try StorageContents.rename(draft, to: "\(folder)/\(DatabaseMarker.name)")
        try StorageContents.synchronize(folder)
    }

    /// Removes the marker of an app's folder; on return that is on the disk.
    package static func remove(in folder: String) throws {
        try StorageContents.remove("\(folder)/\(name)")
        try StorageContents.synchronize(folder)
    }

    private static let limit = 1024

    private var text: String { "schema: \(schema)\nid: \(id)\n" }

    private init?(_ text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 3, lines[2].isEmpty, lines[0].hasPrefix("schema: "), lines[1].hasPrefix("id: ") else {
            return nil
        }
        self.init(schema: String(lines[0].dropFirst(8)), id: String(lines[1].dropFirst(4)))
        guard !schema.isEmpty, !id.isEmpty else { return nil }
    }
}

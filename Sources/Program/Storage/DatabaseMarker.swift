internal import Crypto
package import Domain

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

    private static let file = MarkerFile(name: name, fields: ["schema", "id"])

    /// Reads the marker in an app's folder; `nil` if there is none.
    ///
    /// - Throws: ``ExitError`` if the file cannot be read, or has another form.
    package static func read(in folder: String) throws -> DatabaseMarker? {
        guard let values = try file.read(in: folder) else { return nil }
        return DatabaseMarker(schema: values[0], id: values[1])
    }

    /// Writes the marker into an app's folder; on return it is on the disk.
    ///
    /// - Throws: ``ExitError``; the folder then has no marker, or the whole one.
    package func write(in folder: String) throws {
        try DatabaseMarker.file.write([schema, id], in: folder)
    }

    /// Removes the marker of an app's folder; on return that is on the disk.
    package static func remove(in folder: String) throws {
        try file.remove(in: folder)
    }
}

/// The description of a snapshot; it is stored last, so a snapshot with a manifest is whole.
package struct BackupManifest: Sendable, Equatable {
    /// The size and SHA-256 (64 lower-case hexadecimal digits) of an object.
    package struct Content: Sendable, Equatable {
        package let size: Int64
        package let sha256: String

        /// Creates the value.
        package init(size: Int64, sha256: String) {
            self.size = size
            self.sha256 = sha256
        }
    }

    /// The version of lcfile that made it.
    package var version: String
    /// The moment whose state the snapshot has, at the earliest.
    package var time: Timestamp
    /// The apps of the storage folder at that moment.
    package var apps: [String]
    /// The database, one SQLite file.
    package var database: Content
    /// The list of blobs.
    package var files: Content
    /// The file with the generated app's keys; `nil` if the storage had none.
    package var generatedApp: Content?
    /// The number of files.
    package var fileCount: Int
    /// The size of those files in bytes.
    package var byteCount: Int64
    /// The number of files that were left out because they were damaged or missing in the storage.
    package var damaged: Int
    /// The number of rows that did not match their checksums, which the database contains as they were.
    package var damagedRows: Int

    /// The version of the format of repositories.
    package static let format = 1
    /// The maximum size of a manifest in bytes.
    package static let maxSize = 1 << 20

    /// Creates a manifest.
    package init(
        version: String,
        time: Timestamp,
        apps: [String],
        database: Content,
        files: Content,
        generatedApp: Content?,
        fileCount: Int,
        byteCount: Int64,
        damaged: Int,
        damagedRows: Int = 0
    ) {
        self.version = version
        self.time = time
        self.apps = apps
        self.database = database
        self.files = files
        self.generatedApp = generatedApp
        self.fileCount = fileCount
        self.byteCount = byteCount
        self.damaged = damaged
        self.damagedRows = damagedRows
    }

    /// Whether the snapshot has everything, as it was written.
    package var isComplete: Bool { damaged == 0 && damagedRows == 0 }

    /// The manifest as JSON.
    package var encoded: [UInt8] {
        func content(_ content: Content) -> JSONValue {
            .object(["size": .integer(content.size), "sha256": .string(content.sha256)])
        }
        var members: [String: JSONValue] = [
            "format": .integer(Int64(BackupManifest.format)), "version": .string(version),
            "time": .string(time.iso8601), "apps": .array(apps.map(JSONValue.string)),
            "database": content(database), "files": content(files),
            "fileCount": .integer(Int64(fileCount)), "byteCount": .integer(byteCount),
            "damaged": .integer(Int64(damaged)), "damagedRows": .integer(Int64(damagedRows)),
        ]
        members["generatedApp"] = generatedApp.map(content)
        return JSONValue.object(members).encoded()
    }

    /// Parses a manifest.
    ///
    /// - Returns: `nil` if it is not one of this version's format.
    package init?(_ bytes: [UInt8]) {
        func content(_ value: JSONValue?) -> Content? {
            guard let members = value?.objectValue, let size = members["size"]?.integerValue, size >= 0,
                let sha256 = members["sha256"]?.stringValue
            else { return nil }
            return Content(size: size, sha256: sha256)
        }
        guard let members = (try? JSONValue(parsing: bytes, field: "manifest"))?.objectValue,
            members["format"]?.integerValue == Int64(BackupManifest.format),
            let time = members["time"]?.stringValue.flatMap({ Timestamp(iso8601: $0) }),
            let database = content(members["database"]), let files = content(members["files"]),
            let fileCount = members["fileCount"]?.integerValue, let byteCount = members["byteCount"]?.integerValue
        else { return nil }
        self.init(
            version: members["version"]?.stringValue ?? "",
            time: time,
            apps: members["apps"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            database: database,
            files: files,
            generatedApp: content(members["generatedApp"]),
            fileCount: Int(fileCount),
            byteCount: byteCount,
            damaged: Int(members["damaged"]?.integerValue ?? 0),
            damagedRows: Int(members["damagedRows"]?.integerValue ?? 0)
        )
    }
}

/// The names of an app's objects in a backup repository.
///
/// `<app>/blobs/ab/<SHA-256 of the key>.<digest of the bytes>` has the bytes of a file. The name tells key and bytes, so
/// an object never changes, and all snapshots that have the file share it. `<app>/snapshots/<time>/` has a snapshot, and
/// `<app>/wal/<generation>/` a generation of the continuous backup (docs/continuous-backup.md).
package struct BackupLayout: Sendable, Hashable {
    /// The app.
    package let app: AppID

    /// The object that describes the repository; no app's id contains a dot.
    package static let format = "lcfile-backup.json"
    /// The beginning of the names of locks.
    package static let locks = ".locks/"

    /// Creates the layout of an app.
    package init(_ app: AppID) {
        self.app = app
    }

    /// The beginning of all names of the app.
    package var root: String { "\(app)/" }
    /// A string behind all names of the app's objects, and before those of the next app.
    package var end: String { "\(app)/z" }
    /// The beginning of the names of all blobs.
    package var blobs: String { "\(app)/blobs/" }
    /// The beginning of the names of all snapshots.
    package var snapshots: String { "\(app)/snapshots/" }
    /// The beginning of the names of the continuous backup.
    package var log: String { "\(app)/wal/" }

    /// The name of a blob's object.
    package func object(_ blob: BackupBlob) -> String {
        "\(blobs)\(blob.shelf)/\(blob)"
    }

    /// The name of a file's blob.
    package func object(of file: FileEntry) -> String {
        object(BackupBlob(of: file))
    }

    /// The name of a part of a snapshot.
    package func object(_ part: SnapshotPart, of time: SnapshotTime) -> String {
        "\(snapshots)\(time)/\(part.rawValue)"
    }
}

/// The objects of a snapshot; the manifest is stored last and removed first.
package enum SnapshotPart: String, Sendable, CaseIterable {
    case database
    case files
    case apps = "apps.yaml"
    case manifest = "manifest.json"
}

/// The name of a blob in a repository: `<SHA-256 of the key>.<digest of the bytes>`, a line of a list of blobs.
package struct BackupBlob: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    package let description: String

    private static let maxDigest = 128

    /// Creates the name of a file's blob; bytes of a digest that cannot be in names become `_`.
    package init(of file: FileEntry) {
        let digest = file.facts.digest.description.utf8.prefix(BackupBlob.maxDigest).map { byte in
            BackupObject.isNameByte(byte) ? byte : UInt8(ascii: "_")
        }
        description = "\(BlobName(file.key)).\(String(decoding: digest, as: UTF8.self))"
    }

    /// Parses a line of a list, or the name of an object; `nil` for others.
    package init?(_ text: String) {
        let name = text.lastIndex(of: "/").map { String(text[text.index(after: $0)...]) } ?? text
        guard let dot = name.firstIndex(of: "."), BlobName(name[..<dot]) != nil,
            name[dot...].utf8.allSatisfy(BackupObject.isNameByte)
        else { return nil }
        description = name
    }

    /// The folder of the object: the first two digits.
    package var shelf: Substring { description.prefix(2) }
}

/// The time of a snapshot as the name of its folder: `20270112T030000.123Z`, in UTC.
package struct SnapshotTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The time.
    package let timestamp: Timestamp

    /// Creates the name of a time.
    package init(_ timestamp: Timestamp) {
        self.timestamp = timestamp
    }

    /// Parses a name; `nil` if it is not one.
    package init?(_ name: some StringProtocol) {
        let digits = Array(name.utf8)
        guard digits.count == 20, let text = SnapshotTime.iso8601(digits), let time = Timestamp(iso8601: text) else {
            return nil
        }
        self.init(time)
        guard description == name else { return nil }
    }

    /// The name.
    package var description: String {
        timestamp.iso8601.filter { $0 != "-" && $0 != ":" }
    }

    /// Earlier is less.
    package static func < (left: SnapshotTime, right: SnapshotTime) -> Bool {
        left.timestamp < right.timestamp
    }

    /// Inserts what ``description`` leaves out.
    private static func iso8601(_ digits: [UInt8]) -> String? {
        func part(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        return "\(part(0..<4))-\(part(4..<6))-\(part(6..<11)):\(part(11..<13)):\(part(13..<20))"
    }
}

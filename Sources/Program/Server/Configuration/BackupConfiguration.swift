package import Domain
internal import S3

/// The settings of the continuous backup and its target.
package struct BackupConfiguration: Sendable {
    /// A folder or `s3://bucket/prefix`; `nil` for no continuous backup.
    package var target: String?
    /// When and how much.
    package var settings = ContinuousBackupSettings()

    /// Creates the default settings.
    package init() {}

    /// The path or the address of a target; `nil` for an address that names no bucket.
    static func target(_ text: String) -> String? {
        text.hasPrefix(S3Location.scheme) && S3Location(text) == nil ? nil : text
    }
}

extension ServerConfiguration {
    mutating func readContinuousBackup(_ reader: inout SettingReader) {
        reader.value("backup.target", "a folder, or a bucket such as s3://backups/lcfile", into: &backup.target) {
            BackupConfiguration.target($0)
        }
        reader.number("backup.interval", 1...3600, into: &backup.settings.interval)
        reader.size("backup.maxWaiting", atMost: 1 << 40, into: &backup.settings.maxWaiting)
        reader.number("backup.renewAfter", 1...8760, into: &backup.settings.renewAfter)
        reader.size("backup.renewAfterSize", atMost: 1 << 50, into: &backup.settings.renewAfterSize)
    }

    /// Why requests to the bucket of the continuous backup can never be sent.
    ///
    /// A folder is no conflict: its disk can be mounted later.
    var backupConflicts: [SettingConflict] {
        guard let location = backup.target.flatMap({ S3Location($0) }) else { return [] }
        do {
            _ = try s3.client(for: location)
            return []
        } catch {
            return [SettingConflict("backup.target", "backup.s3", sentence: "backup.target: \(error)")]
        }
    }
}

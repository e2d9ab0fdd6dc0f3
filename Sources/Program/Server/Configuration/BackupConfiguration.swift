package import Domain

/// The settings of the continuous backup and its target.
package struct BackupConfiguration: Sendable {
    /// A folder or `s3://bucket/prefix`; `nil` for no continuous backup.
    package var target: String?
    /// When and how much.
    package var settings = ContinuousBackupSettings()

    /// Creates the default settings.
    package init() {}
}

extension ServerConfiguration {
    mutating func readContinuousBackup(_ reader: inout SettingReader) {
        backup.target = reader.path("backup.target")
        reader.number("backup.interval", 1...3600, into: &backup.settings.interval)
        reader.size("backup.maxWaiting", atMost: 1 << 40, into: &backup.settings.maxWaiting)
        reader.number("backup.renewAfter", 1...8760, into: &backup.settings.renewAfter)
        reader.size("backup.renewAfterSize", atMost: 1 << 50, into: &backup.settings.renewAfterSize)
    }
}

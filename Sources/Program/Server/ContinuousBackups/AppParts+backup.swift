internal import Domain
internal import Storage

extension AppParts {
    /// Constructs the continuous backup of the app; `nil` without `backup.target`.
    ///
    /// - Parameter storage: The storage folder.
    /// - Returns: The loop of the backup, which does not run yet.
    func backup(of storage: String) -> BackupLoop? {
        guard let target = configuration.backup.target, let capture = database.capture else { return nil }
        let backup = ContinuousBackup(
            of: app.id,
            in: storage,
            to: { [configuration] in try BackupTargets.target(target, creating: true) { configuration.s3 } },
            version: ProgramVersion.number,
            with: FolderEngine(),
            capturing: capture,
            settings: configuration.backup.settings
        )
        return BackupLoop(backup, of: app.id, interval: configuration.backup.settings.interval, logger: shared.logger)
    }
}

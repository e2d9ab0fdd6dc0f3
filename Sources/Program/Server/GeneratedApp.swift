internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Storage

/// The app that a server without configured apps creates at its first start, stored as `apps.yaml` in the storage
/// folder.
struct GeneratedApp {
    let configuration: AppConfiguration
    /// Whether it was made just now, so that its keys are worth printing.
    let isNew: Bool
    /// The path of its file.
    let path: String

    /// Reads the stored app, or creates and stores one, readable by its owner only.
    init(in storage: borrowing StorageFolder) throws {
        path = "\(storage.path)/apps.yaml"
        if access(path, F_OK) == 0 {
            let file = try ConfigurationFile(path: path)
            guard file.faults.isEmpty else { throw ExitError.settings(file.faults) }
            guard let kept = file.apps.first else {
                throw ExitError.storage("\(path) contains no app; remove it, and the next start creates one")
            }
            configuration = kept
            isNew = false
        } else {
            configuration = try AppConfiguration(
                id: RandomString.alphanumeric(24),
                appKey: RandomString.alphanumeric(32),
                masterKey: RandomString.alphanumeric(32)
            )
            isNew = true
            try write(to: path)
            try storage.synchronize()
        }
    }

    /// What the operator must know if an earlier start created an app and other apps are configured now.
    ///
    /// - Parameters:
    ///   - storage: The storage folder.
    ///   - apps: The configured apps.
    /// - Returns: Sentences for the log and the greeting; `nil` if no app was created, or if it is among the configured
    ///   ones.
    static func warning(in storage: borrowing StorageFolder, beside apps: [AppConfiguration]) -> String? {
        let path = "\(storage.path)/apps.yaml"
        guard access(path, F_OK) == 0 else { return nil }
        let id = (try? ConfigurationFile(path: path))?.apps.first?.id
        if let id, apps.contains(where: { $0.id == id }) { return nil }
        let name = id.map { "'\($0)' " } ?? ""
        return
            "The app \(name)that an earlier start created is not served, because other apps are configured: its clients "
            + "get 401. To serve it again, add the entry of \(path) to apps in the configuration file. Without that file "
            + "there is no warning."
    }

    /// Writes beside and renames, so that a crash leaves no half of a file.
    private func write(to path: String) throws {
        let text = """
            # Created at the first start, because no app was configured. Keep it: apps send these keys.
            apps:
              - id: \(configuration.id)
                appKey: \(configuration.keys.appKey.revealed)
                masterKey: \(configuration.keys.masterKey.revealed)

            """
        let draft = path + ".new"
        unlink(draft)
        let file = uninterrupted { open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        defer { if file >= 0 { close(file) } }
        guard file >= 0, uninterrupted({ Glibc.write(file, text, text.utf8.count) }) == text.utf8.count,
            uninterrupted({ fsync(file) }) == 0, rename(draft, path) == 0
        else {
            throw ExitError.storage("\(path) cannot be written: \(StorageFolder.systemError())")
        }
    }
}

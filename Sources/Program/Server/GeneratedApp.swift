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
            guard let kept = try ConfigurationFile(path: path).apps.first else {
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
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard file >= 0, Glibc.write(file, text, text.utf8.count) == text.utf8.count, fsync(file) == 0,
            rename(draft, path) == 0
        else {
            throw ExitError.storage("\(path) cannot be written: \(StorageFolder.systemError())")
        }
    }
}

internal import Crypto
internal import FileClient
internal import FoundationEssentials
internal import Glibc
internal import Storage

/// The URL of an upload that has begun, in a file that a later run of the command finds.
///
/// The file is `$XDG_STATE_HOME/lcfile/uploads/<digest>.json`. The digest covers everything that must be equal to
/// continue: server, app, path and version of the file, and what the server was told about it. A lock on the file
/// keeps two processes from sending the same upload.
final class UnfinishedUpload: Sendable {
    private let path: String
    private let descriptor: CInt

    /// What identifies an upload.
    struct Identity: Encodable {
        let server: String
        let app: String
        let path: String
        let version: FileVersion
        let description: UploadDescription
    }

    /// Opens the state of an upload.
    ///
    /// - Returns: `nil` if the state cannot be stored or another process has it; the upload then cannot be continued
    ///   by another run.
    init?(_ identity: Identity, in environment: [String: String]) {
        guard let folder = UserFolder.state(in: environment).map({ "\($0)/uploads" }) else { return nil }
        try? FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let text = try? encoder.encode(identity) else { return nil }
        let digest = SHA256.hash(data: text).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        path = "\(folder)/\(digest).json"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    private struct Content: Codable {
        let location: String
    }

    /// The URL of the upload that an earlier run began; `nil` without one.
    var location: String? {
        guard let text = try? Data(contentsOf: URL(filePath: path)) else { return nil }
        return (try? JSONDecoder().decode(Content.self, from: text))?.location
    }

    /// Stores the URL of an upload; a failure only means that it cannot be continued.
    func store(_ location: String) {
        guard let text = try? JSONEncoder().encode(Content(location: location)), ftruncate(descriptor, 0) == 0 else {
            return
        }
        let bytes = [UInt8](text)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
        fsync(descriptor)
    }

    /// Removes the state.
    func remove() {
        unlink(path)
    }

    /// Removes states that were not used for 8 days; the server has forgotten their uploads after 7.
    static func removeStale(in environment: [String: String], now: Date = Date()) {
        guard let folder = UserFolder.state(in: environment).map({ "\($0)/uploads" }),
            let names = try? FolderNames.all(in: folder)
        else { return }
        for name in names where name.hasSuffix(".json") {
            let path = "\(folder)/\(name)"
            var status = stat()
            guard lstat(path, &status) == 0 else { continue }
            if now.timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > 8 * 86400 { unlink(path) }
        }
    }
}

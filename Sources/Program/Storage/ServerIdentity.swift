internal import Domain
internal import Glibc

/// The id of a server in the stores that it shares with others, and the ids of those that have ended for certain.
package struct ServerIdentity: Sendable {
    /// The id, which no other start has: lower-case letters and digits.
    package let id: String
    /// The servers that ran on the same storage folder before, and have ended.
    package let ended: Set<String>

    /// Creates an identity that knows of no other.
    package init() {
        id = RandomString.lowercase(ServerIdentity.length)
        ended = []
    }

    init(ended: Set<String>) {
        id = RandomString.lowercase(ServerIdentity.length)
        self.ended = ended
    }

    static let length = 16
}

/// Which servers have locked a storage folder since the boot of the machine.
///
/// A server that holds the lock knows that all of them have ended: the kernel gives the lock of a file to one process at a
/// time, and takes it back at its end only. That holds for the same file and the same kernel, so each id is stored with
/// the file's inode and the boot: what a copy of the folder, a snapshot or another machine has of it proves nothing.
extension StorageFolder {
    /// The name of the file with the ids.
    static let serversName = ".servers"
    /// The number of servers that are remembered: starts that end at once, one after the other.
    private static let remembered = 8

    /// The identity of the server that has this lock, after it is stored.
    ///
    /// If it cannot be stored, the next server waits for this one as for one of another folder.
    package func identity() -> ServerIdentity {
        guard let proof else { return ServerIdentity() }
        let former = servers(proof)
        let identity = ServerIdentity(ended: Set(former))
        // No sync: after a loss of power there is another boot.
        let lines = (former.suffix(StorageFolder.remembered - 1) + [identity.id]).map { "\($0) \(proof)\n" }
        let draft = "\(path)/\(StorageFolder.serversName).partial"
        let file = FileBytes.open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW)
        guard file >= 0 else { return identity }
        defer { close(file) }
        guard (try? FileBytes.write(Array(lines.joined().utf8), to: file, draft)) != nil else { return identity }
        rename(draft, "\(path)/\(StorageFolder.serversName)")
        return identity
    }

    /// The servers that ran on the folder and have ended; for a command that has the lock.
    package func endedServers() -> Set<String> {
        proof.map { Set(servers($0)) } ?? []
    }

    private func servers(_ proof: String) -> [String] {
        guard let bytes = try? FileBytes.contents(of: "\(path)/\(StorageFolder.serversName)") else { return [] }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ", maxSplits: 1)
            guard fields.count == 2, fields[1] == proof, fields[0].utf8.count == ServerIdentity.length,
                fields[0].utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
            else { return nil }
            return String(fields[0])
        }
    }

    /// The boot of the kernel, and the file whose lock this process has.
    private var proof: String? {
        guard let bytes = try? FileBytes.contents(of: "/proc/sys/kernel/random/boot_id") else { return nil }
        let boot = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        guard !boot.isEmpty, let file = lockedFile else { return nil }
        return "\(boot) \(file.device) \(file.inode)"
    }
}

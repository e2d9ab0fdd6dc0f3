package import Domain
internal import FoundationEssentials
internal import Glibc
internal import NIOCore
package import NIOPosix

/// The scrubber's state as the file `scrub.json` in an app's folder, and suspects as the names of empty files in the
/// folder `suspects`.
package struct DiskScrubJournal: ScrubJournal {
    private let folder: String
    private let pool: NIOThreadPool

    /// The name of the folder with suspects, in an app's folder.
    static let suspects = "suspects"
    /// The name of the file with the state, in an app's folder.
    static let state = "scrub.json"
    private static let maxSuspects = 1000
    private static let maxSize = 64 << 10

    /// Creates the folder of suspects, for `lcfile check`.
    ///
    /// - Throws: An error if the folder cannot be created.
    package init(folder: String, pool: NIOThreadPool) throws {
        self.folder = folder
        self.pool = pool
        try makeFolder("\(folder)/\(DiskScrubJournal.suspects)")
    }

    package func load() async throws -> ScrubState? {
        try await pool.runIfActive { [folder] in try DiskScrubJournal.load(in: folder) }
    }

    package func save(_ state: ScrubState) async throws {
        let bytes = state.encoded
        try await pool.runIfActive { [folder] in
            let path = "\(folder)/\(DiskScrubJournal.state)"
            // Without a sync: a position that is lost costs time, and the renamed file is whole or the former one on
            // the file systems that people use; another one is no state.
            let draft = "\(path).draft"
            do {
                let file = try Descriptor(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, mode: 0o600)
                try bytes.withUnsafeBytes { try file.write($0) }
            }
            guard rename(draft, path) == 0 else { throw failure(of: "rename", errno) }
        }
    }

    package func suspects() async throws -> [ObjectID] {
        try await pool.runIfActive { [folder] in
            var ids: [ObjectID] = []
            try forEachName(in: "\(folder)/\(DiskScrubJournal.suspects)") { name in
                if ids.count < DiskScrubJournal.maxSuspects, let id = ObjectID(name) { ids.append(id) }
            }
            return ids
        }
    }

    package func remove(_ suspects: [ObjectID]) async throws {
        try await pool.runIfActive { [folder] in
            for id in suspects { unlink("\(folder)/\(DiskScrubJournal.suspects)/\(id)") }
        }
    }

    /// The state in an app's folder, also of a server that does not run; blocks.
    ///
    /// - Returns: `nil` if there is none, or if it cannot be parsed.
    /// - Throws: Errors of reading it.
    package static func load(in folder: String) throws -> ScrubState? {
        guard let file = try Descriptor(reading: "\(folder)/\(state)") else { return nil }
        let bytes = try file.read(at: 0, count: maxSize)
        return ScrubState(Array(bytes.readableBytesView))
    }
}

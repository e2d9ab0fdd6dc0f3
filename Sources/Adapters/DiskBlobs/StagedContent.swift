internal import Domain
internal import Glibc
internal import NIOCore
internal import Synchronization

/// The bytes of a staged blob and the path of their file, which a small draft gets only with its commit.
///
/// Bytes of one request are worthless without a commit. So if they are few, they stay in memory until then, and one job
/// of a disk thread creates their file under the name of the note, writes, links and syncs it: instead of one job for
/// each of these, and a file that is renamed first.
///
/// The lock is held while the disk works: one task uses the bytes, and only its removal can meet a job that still
/// writes.
final class StagedContent: Sendable {
    private struct State {
        var path: String
        var file: OpenFile?
        /// Whether there is a file, open or not.
        var isOnDisk: Bool
        /// Whether the file can be opened by its path; one that was renamed to a blob cannot.
        var isAtPath = true
        /// The bytes in memory; `nil` before they are there.
        var held: [ByteBuffer]?
        /// The place in memory, while there is no file.
        var place: DraftPlaces.Place?
        /// Whether the bytes were removed; then no file is created or opened any more.
        var isRemoved = false
        /// The number of writes that began, of those that ended, and of those that a sync has covered.
        var begun = 0
        var ended = 0
        var synced = 0
    }

    private let state: Mutex<State>
    /// The path that no other bytes have.
    private let ownPath: String
    private let unsettled: UnsettledNames
    private let health: StorageHealth

    /// The content of an open file, or of a new draft in memory.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - file: The open file; `nil` for a draft in memory.
    ///   - place: The place of such a draft.
    ///   - unsettled: The names that failures left.
    ///   - health: Decides whether bytes can be added.
    init(
        path: String,
        file: OpenFile?,
        place: DraftPlaces.Place? = nil,
        unsettled: UnsettledNames,
        health: StorageHealth
    ) {
        state = Mutex(State(path: path, file: file, isOnDisk: file != nil, place: place))
        ownPath = path
        self.unsettled = unsettled
        self.health = health
    }

    /// The current path of the file, or of the one to create.
    var path: String { state.withLock(\.path) }

    /// Whether there is a file.
    var isOnDisk: Bool { state.withLock(\.isOnDisk) }

    /// Whether the file stays open until it is closed.
    var isOpen: Bool { state.withLock { $0.file != nil } }

    /// Whether all writes have ended before a sync.
    var isSynced: Bool { state.withLock { $0.begun == $0.synced } }

    /// Keeps all bytes of a draft in memory, if it has neither a file nor bytes.
    ///
    /// - Parameter buffers: At most ``DraftPlaces/draftSize`` bytes.
    /// - Returns: Whether they are kept.
    func hold(_ buffers: [ByteBuffer]) -> Bool {
        state.withLock { state in
            guard !state.isOnDisk, state.held == nil else { return false }
            state.held = buffers
            return true
        }
    }

    /// The file, which is created with the bytes in memory if there is none; blocks.
    ///
    /// A closed one is opened for the caller alone, so that it is closed again with the last use of the result.
    ///
    /// - Throws: Errors of the storage, after which there is no file and the bytes stay in memory; an error if the bytes
    ///   were removed.
    func file() throws -> OpenFile {
        try state.withLock { state in try open(&state) }
    }

    private func open(_ state: inout State) throws -> OpenFile {
        if let file = state.file { return file }
        guard !state.isRemoved else { throw failure(of: "open", ENOENT) }
        if state.isOnDisk { return OpenFile(try Descriptor(state.path, O_RDWR | O_NOFOLLOW)) }
        try health.requireSpace()
        let file: OpenFile
        do {
            file = try create(state.path, with: state.held ?? [])
        } catch let error as ServiceError where (error.cause as? SyscallError)?.number == EEXIST {
            // The note of an earlier request, whose commit failed and stayed undecided: this one takes its place.
            file = try create(ownPath, with: state.held ?? [])
            guard rename(ownPath, state.path) == 0 else {
                let number = errno
                unsettled.remove(ownPath)
                throw failure(of: "rename", number)
            }
        }
        state.file = file
        state.isOnDisk = true
        state.begun += 1
        state.ended += 1
        state.held = nil
        state.place = nil
        return file
    }

    /// Writes to the file, which stays open; blocks.
    ///
    /// - Throws: As ``file()``, and the errors of the body.
    func write(_ body: (OpenFile) throws -> Void) throws {
        let file = try state.withLock { state in
            let file = try open(&state)
            state.file = file
            state.begun += 1
            return file
        }
        defer { state.withLock { $0.ended += 1 } }
        try body(file)
    }

    /// Runs a sync of the file, and notes that it has covered the writes that ended before.
    func covering(_ sync: () throws -> Void) throws {
        let covered = state.withLock(\.ended)
        try sync()
        state.withLock { $0.synced = max($0.synced, covered) }
    }

    /// Closes the file, unless a write lacks its sync: a file that is opened later need not report its error.
    ///
    /// A file that was renamed to a blob stays open.
    func close() {
        state.withLock { state in
            if state.begun == state.synced, state.isAtPath { state.file = nil }
        }
    }

    /// Keeps the file open after it was renamed to a blob: its path leads to no file, or to another one, from then on.
    ///
    /// - Parameter file: The file, which was opened before the rename.
    func keepRenamed(_ file: OpenFile) {
        state.withLock { state in
            state.file = state.file ?? file
            state.isAtPath = false
        }
    }

    private func create(_ path: String, with buffers: [ByteBuffer]) throws -> OpenFile {
        try unsettled.makeFree(path)
        let file = OpenFile(try Descriptor(path, O_RDWR | O_NOFOLLOW | O_CREAT | O_EXCL, mode: 0o600))
        do {
            try file.write(buffers, at: 0)
        } catch {
            unsettled.remove(path)
            throw error
        }
        return file
    }

    /// Renames the file, or changes the path of the one to create; blocks if there is a file.
    ///
    /// - Returns: Whether a file was renamed.
    /// - Throws: Errors of the storage; the path stays then.
    func move(to path: String) throws -> Bool {
        try state.withLock { state in
            let isRenamed = state.isOnDisk && state.path != path
            if isRenamed { try syscall("rename") { rename(state.path, path) } }
            state.path = path
            return isRenamed
        }
    }

    /// Removes the file's name, or the bytes in memory; blocks if there is a file.
    ///
    /// - Returns: The error number of a failure.
    func remove() -> CInt? {
        state.withLock { state in
            // Other bytes can get the name of a closed file.
            state.isRemoved = true
            guard !state.isOnDisk else { return unsettled.remove(state.path) }
            state.held = nil
            state.place = nil
            return nil
        }
    }
}

internal import Synchronization

/// How far the transfers of a command are; changed from any thread.
final class TransferProgress: Sendable {
    /// A moment of the progress.
    struct Snapshot: Equatable, Sendable {
        /// What is counted, in the singular.
        var noun = "file"
        /// The number of all files; 0 while it is unknown.
        var files = 0
        /// The number of files that are done.
        var done = 0
        /// The number of files that failed.
        var failed = 0
        /// The sum of the sizes of all files; `nil` if one is unknown.
        var size: Int64?
        /// The number of bytes that are transferred or do not have to be.
        var bytes: Int64 = 0
        /// The name of the file that began first of those under way; `nil` without one.
        var current: String?
    }

    private struct State {
        var snapshot = Snapshot()
        var underWay: [(id: Int, name: String, bytes: Int64)] = []
    }

    private let state: Mutex<State>

    /// - Parameters:
    ///   - files: The number of files; 0 if it is unknown.
    ///   - size: The sum of their sizes; `nil` if it is unknown.
    ///   - noun: What is counted, in the singular.
    init(files: Int, size: Int64?, noun: String = "file") {
        var snapshot = Snapshot()
        snapshot.noun = noun
        snapshot.files = files
        snapshot.size = size
        state = Mutex(State(snapshot: snapshot))
    }

    /// The progress now.
    var snapshot: Snapshot {
        state.withLock { state in
            var snapshot = state.snapshot
            snapshot.bytes += state.underWay.reduce(0) { $0 + $1.bytes }
            snapshot.current = state.underWay.first?.name
            return snapshot
        }
    }

    /// Notes that the transfer of a file begins.
    func begin(_ id: Int, name: String) {
        state.withLock { $0.underWay.append((id, name, 0)) }
    }

    /// Notes the number of all files and the sum of their sizes, when they become known.
    func expect(files: Int, size: Int64) {
        state.withLock { ($0.snapshot.files, $0.snapshot.size) = (files, size) }
    }

    /// Notes files that are done, are there already, or failed.
    ///
    /// - Parameters:
    ///   - files: The number of files.
    ///   - bytes: The bytes that were read or that do not have to be transferred.
    ///   - failed: Whether one failed or cannot be used.
    func pass(files: Int, bytes: Int64, failed: Bool = false) {
        state.withLock { state in
            state.snapshot.bytes += bytes
            state.snapshot.done += files
            if failed { state.snapshot.failed += 1 }
        }
    }

    /// Notes the end of something that was under way and is counted with ``pass(files:bytes:failed:)``.
    func drop(_ id: Int) {
        state.withLock { state in state.underWay.removeAll { $0.id == id } }
    }

    /// Notes the number of bytes of a file that are transferred.
    func update(_ id: Int, bytes: Int64) {
        state.withLock { state in
            guard let index = state.underWay.firstIndex(where: { $0.id == id }) else { return }
            state.underWay[index].bytes = bytes
        }
    }

    /// Adds the size of a file that counted as 0 before; with `nil` the sum is unknown from now on.
    func add(size: Int64?) {
        state.withLock { state in
            if let known = state.snapshot.size { state.snapshot.size = size.map { known + $0 } }
        }
    }

    /// Notes that the transfer of a file has ended.
    ///
    /// - Parameters:
    ///   - id: The file.
    ///   - bytes: Its size, which counts as transferred even if it failed, so that the rest takes what remains.
    ///   - failed: Whether it failed.
    func end(_ id: Int, bytes: Int64, failed: Bool) {
        state.withLock { state in
            state.underWay.removeAll { $0.id == id }
            state.snapshot.bytes += bytes
            state.snapshot.done += 1
            if failed { state.snapshot.failed += 1 }
        }
    }
}

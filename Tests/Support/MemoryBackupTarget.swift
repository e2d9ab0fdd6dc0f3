package import Domain
internal import FoundationEssentials
internal import Synchronization

/// A backup target in memory, with a clock of its own and faults that tests set.
package final class MemoryBackupTarget: BackupTarget {
    private struct State {
        var objects: [String: (bytes: [UInt8], modified: Int64)] = [:]
        var clock: Int64 = 1_800_000_000
        /// The objects that the next listing with them lacks.
        var hidden: Set<String> = []
        /// Called before each change, with the name; can throw in its place.
        var intercept: (@Sendable (Change, String) throws(BackupTargetFailure) -> Void)?
    }

    /// The kinds of calls that a test can make fail.
    package enum Change: Sendable {
        case put
        case remove
        case get
    }

    private let state = Mutex(State())

    package let description = "memory"

    /// Creates an empty target.
    package init() {}

    /// The names of all objects in order.
    package var names: [String] {
        state.withLock { $0.objects.keys.sorted() }
    }

    /// Moves the clock of ``BackupObject/modified``.
    package func advance(by seconds: Int64) {
        state.withLock { $0.clock += seconds }
    }

    /// Sets the bytes of an object, as damage does, and not its time; `nil` removes it.
    package func corrupt(_ name: String, _ bytes: [UInt8]?) {
        state.withLock { state in
            let modified = state.objects[name]?.modified ?? state.clock
            state.objects[name] = bytes.map { ($0, modified) }
        }
    }

    /// Leaves an object out of the next listing that would contain it, as a folder can while the object is stored.
    package func hide(_ name: String) {
        state.withLock { _ = $0.hidden.insert(name) }
    }

    /// Calls a function before each later call, which it makes fail by throwing; `nil` ends that.
    package func intercept(_ body: (@Sendable (Change, String) throws(BackupTargetFailure) -> Void)?) {
        state.withLock { $0.intercept = body }
    }

    @discardableResult
    package func put(_ name: String, fileAt path: String) throws(BackupTargetFailure) -> Int64 {
        guard let bytes = try? Data(contentsOf: URL(filePath: path)) else {
            throw BackupTargetFailure(.missing, "\(path) cannot be read")
        }
        try put(name, bytes: Array(bytes))
        return Int64(bytes.count)
    }

    package func put(_ name: String, bytes: [UInt8]) throws(BackupTargetFailure) {
        try check(name)
        try announce(.put, name)
        state.withLock { $0.objects[name] = (bytes, $0.clock) }
    }

    @discardableResult
    package func get(_ name: String, toFileAt path: String) throws(BackupTargetFailure) -> Int64 {
        guard let bytes = try get(name, limit: .max) else { throw BackupTargetFailure(.missing, "\(name) is missing") }
        do {
            try Data(bytes).write(to: URL(filePath: path), options: .withoutOverwriting)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        } catch {
            throw BackupTargetFailure(.unavailable, "\(path) cannot be written")
        }
        return Int64(bytes.count)
    }

    package func get(_ name: String, limit: Int) throws(BackupTargetFailure) -> [UInt8]? {
        try check(name)
        try announce(.get, name)
        guard let bytes = state.withLock({ $0.objects[name]?.bytes }) else { return nil }
        guard bytes.count <= limit else { throw BackupTargetFailure(.tooLarge, "\(name) has \(bytes.count) bytes") }
        return bytes
    }

    package func list(prefix: String, after: String?, limit: Int) throws(BackupTargetFailure) -> [BackupObject] {
        state.withLock { state in
            let names = state.objects.keys.filter { name in
                name.hasPrefix(prefix) && (after.map { name > $0 } ?? true)
            }
            return names.sorted().prefix(limit).compactMap { name in
                guard state.hidden.remove(name) == nil else { return nil }
                return state.objects[name].map {
                    BackupObject(name: name, size: Int64($0.bytes.count), modified: $0.modified)
                }
            }
        }
    }

    package func remove(_ names: [String]) throws(BackupTargetFailure) {
        for name in names {
            try check(name)
            try announce(.remove, name)
            state.withLock { $0.objects[name] = nil }
        }
    }

    private func announce(_ change: Change, _ name: String) throws(BackupTargetFailure) {
        let intercept = state.withLock { $0.intercept }
        try intercept?(change, name)
    }

    private func check(_ name: String) throws(BackupTargetFailure) {
        guard BackupObject.isName(name) else {
            throw BackupTargetFailure(.refused, "\(name.debugDescription) is no name")
        }
    }
}

internal import Dispatch
internal import Domain
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// Announces in a repository that backups add to it, or that a retention removes from it.
///
/// Backups run beside each other, because they only add objects, and equal names have equal bytes. A retention runs
/// alone: it could remove a blob that a running backup found there and relies on.
///
/// A lock is an object that its holder writes again every five minutes. Who wants one writes its own first and then
/// looks for others, so of two at the same time at least one sees the other. A lock that was not written for half an
/// hour, by the clock of the target, or whose process on this machine has ended, does not count. A holder that could not
/// write its lock for 25 minutes has lost it for good, even if no other process has removed it (``check()``), and is not
/// allowed to finish.
final class BackupLock: Sendable {
    enum Kind: String {
        case backup
        case retention
    }

    private struct State {
        /// When the lock was last stored, by ``clock``.
        var stored: Int64
        var isLost = false
    }

    private let target: any BackupTarget
    private let name: String
    /// The encoded holder; empty if the target was full.
    private let content: [UInt8]
    private let clock: @Sendable () -> Int64
    private let state: Mutex<State>
    private let queue = DispatchQueue(label: "lcfile.lock")
    private let end = TimedSemaphore()
    /// When this process took the lock, by the clock of the target, in seconds since 1970.
    let acquired: Int64

    /// The seconds after which a lock that was not written again does not count.
    static let lifetime: Int64 = 30 * 60
    private static let interval = 5 * 60
    /// The seconds without a write after which the holder treats its lock as lost: five minutes before other processes do.
    static let ownLifetime = lifetime - Int64(interval)
    /// The microseconds between two looks for the locks of others.
    private static let pause: useconds_t = 200_000
    private static let maxSize = 4096

    /// Takes a lock.
    ///
    /// - Parameters:
    ///   - kind: What the holder does.
    ///   - target: The repository.
    ///   - patience: The seconds to wait for the holders of others. They keep those away that come later, so this is
    ///     for a retention, which would never find a moment between the locks of a continuous backup.
    ///   - clock: The seconds since any moment, also while the machine sleeps.
    /// - Throws: ``ExitError`` naming the holder of one that excludes it.
    init(
        _ kind: Kind,
        of target: any BackupTarget,
        patience: Int = 0,
        clock: @escaping @Sendable () -> Int64 = BackupLock.secondsSinceBoot
    ) throws {
        self.target = target
        self.clock = clock
        state = Mutex(State(stored: clock()))
        let name = "\(BackupLock.prefix(kind))\(RandomString.lowercase(25))"
        self.name = name
        let content = try BackupRepository.complaining { try BackupLock.store(name, for: kind, in: target) }
        self.content = content
        acquired = try BackupRepository.complaining {
            do {
                let end = ContinuousClock.now + .seconds(patience)
                while true {
                    do {
                        return try BackupLock.refuseOthers(kind, name, target)
                    } catch let error as ExitError {
                        guard ContinuousClock.now < end else { throw error }
                        usleep(BackupLock.pause)
                    }
                }
            } catch {
                try? target.remove([name])
                throw error
            }
        }
        queue.async { [self] in
            while !end.wait(for: .seconds(BackupLock.interval)) { refresh() }
        }
    }

    /// Stores the lock for the first time.
    ///
    /// A full target must not keep a retention away, which frees space: an empty file takes none.
    ///
    /// - Returns: The bytes of the lock.
    private static func store(_ name: String, for kind: Kind, in target: any BackupTarget) throws -> [UInt8] {
        let content = LockHolder.current.encoded
        do {
            try target.put(name, bytes: content)
            return content
        } catch {
            guard kind == .retention, error.reason == .full else { throw error }
            try target.put(name, bytes: [])
            return []
        }
    }

    /// Stores the lock again, unless it was lost: one that another process removed must not come back.
    ///
    /// A failure is no end: the next attempt can succeed.
    func refresh() {
        let begin = clock()
        guard !hasLost(at: begin) else { return }
        do {
            guard try target.get(name, limit: BackupLock.maxSize) == content else {
                return state.withLock { $0.isLost = true }
            }
            try target.put(name, bytes: content)
        } catch {
            return
        }
        // This process could have slept between the two calls.
        guard !hasLost(at: clock()) else { return }
        state.withLock { $0.stored = begin }
    }

    /// Whether the lock was lost, because it was removed or not stored for too long.
    private func hasLost(at now: Int64) -> Bool {
        state.withLock { state in
            if now - state.stored > BackupLock.ownLifetime { state.isLost = true }
            return state.isLost
        }
    }

    /// The time since the boot of the machine, also while it slept.
    private static func secondsSinceBoot() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec)
    }

    /// Gives the lock back; to be called once, after everything that needs it.
    func release() {
        end.signal()
        // A call in progress would store the lock again.
        queue.sync {}
        try? target.remove([name])
    }

    /// Throws if the lock was lost, because this process could not write it for too long.
    func check() throws {
        let own = try BackupRepository.complaining { try target.get(name, limit: BackupLock.maxSize) }
        guard own == content, !hasLost(at: clock()) else {
            throw ExitError.storage(
                "the lock \(name) in \(target) was removed by another process or not written for "
                    + "\(BackupLock.ownLifetime / 60) minutes; start again"
            )
        }
    }

    /// Throws if there is a lock that excludes this one; removes locks that do not count, as far as the target lets it.
    ///
    /// Both kinds exclude a retention, only retentions exclude a backup. The key of a backup can lack the right to delete.
    ///
    /// - Returns: The time of the own lock.
    private static func refuseOthers(_ kind: Kind, _ name: String, _ target: any BackupTarget) throws -> Int64 {
        guard let own = try target.object(named: name) else {
            throw ExitError.storage("\(target) does not list the object \(name), which was stored before")
        }
        let listed = kind == .retention ? BackupLayout.locks : prefix(.retention)
        try forEachPage(of: listed, in: target) { locks in
            let others = locks.filter { $0.name != name }
            let expired = others.filter { own.modified - $0.modified > lifetime }
            if !expired.isEmpty { try? target.remove(expired.map(\.name)) }
            for lock in others where own.modified - lock.modified <= lifetime {
                guard let bytes = try target.get(lock.name, limit: maxSize) else { continue }
                let holder = LockHolder(bytes)
                if holder?.hasEnded == true {
                    try? target.remove([lock.name])
                    continue
                }
                throw ExitError.storage(
                    "\(target) is used by \(lock.name.hasPrefix(prefix(.retention)) ? "a retention" : "a backup")"
                        + (holder.map { " of process \($0.process) on \($0.host)" } ?? "")
                        + "; try again when it has ended"
                )
            }
        }
        return own.modified
    }

    /// Removes locks of backups that were not written for half an hour, which a backup does not look at.
    ///
    /// - Throws: ``ExitError`` if one of them cannot be removed, as with a key that cannot delete.
    func removeExpired() throws {
        try BackupRepository.complaining {
            try BackupLock.forEachPage(of: BackupLock.prefix(.backup), in: target) { locks in
                let expired = locks.filter { acquired - $0.modified > BackupLock.lifetime }
                if !expired.isEmpty { try target.remove(expired.map(\.name)) }
            }
        }
    }

    /// The beginning of the names of the locks of a kind.
    private static func prefix(_ kind: Kind) -> String { "\(BackupLayout.locks)\(kind.rawValue)-" }

    private static func forEachPage(
        of prefix: String,
        in target: any BackupTarget,
        _ body: ([BackupObject]) throws -> Void
    ) throws {
        let pageSize = 1000
        var last: String?
        while true {
            let page = try target.list(prefix: prefix, after: last, limit: pageSize)
            try body(page)
            guard page.count == pageSize else { return }
            last = page.last?.name
        }
    }
}

/// The process that holds a lock.
struct LockHolder: Equatable {
    let host: String
    /// The boot of the machine and the kernel's namespace of process numbers, in which ``process`` has a meaning.
    let space: String
    let process: Int64

    /// This process.
    static var current: LockHolder {
        let boot = (try? FileBytes.contents(of: "/proc/sys/kernel/random/boot_id")).map { bytes in
            String(decoding: bytes, as: UTF8.self)
        }
        let namespace = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
        return LockHolder(
            host: ProcessInfo.processInfo.hostName,
            space: "\((boot ?? "").filter { !$0.isWhitespace }) \(namespace)",
            process: Int64(getpid())
        )
    }

    /// Whether the process ran on this machine, and has ended.
    var hasEnded: Bool {
        let here = LockHolder.current
        guard host == here.host, space == here.space, let number = pid_t(exactly: process), number > 0 else {
            return false
        }
        return kill(number, 0) != 0 && errno == ESRCH
    }

    var encoded: [UInt8] {
        JSONValue.object(["host": .string(host), "space": .string(space), "process": .integer(process)]).encoded()
    }
}

extension LockHolder {
    init?(_ bytes: [UInt8]) {
        guard let members = (try? JSONValue(parsing: bytes, field: "lock"))?.objectValue,
            let host = members["host"]?.stringValue, let space = members["space"]?.stringValue,
            let process = members["process"]?.integerValue
        else { return nil }
        self.init(host: host, space: space, process: process)
    }
}

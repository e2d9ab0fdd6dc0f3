internal import Domain
internal import Glibc

/// Decides at a start what happens to a log from which acknowledged transactions are missing.
struct LogRescue {
    let database: String
    /// Whether the operator accepts the loss.
    let acceptsLoss: Bool
    let health: StorageHealth

    private static let blockSize = 1 << 20

    /// Compares the log with the mark, before SQLite changes either.
    ///
    /// - Throws: ``OpenFailure`` if transactions are missing and their loss was not accepted. Nothing is changed then.
    func run() throws(OpenFailure) {
        do {
            switch try LostCommits.look(at: database) {
            case .none: return
            case .damagedCopy:
                let saved = try moveAside()
                health.report(
                    .damaged,
                    "the write-ahead log of \(database) was damaged; no change is lost, because the database contains "
                        + "all of it; the log was moved to \(saved)"
                )
            case .lost(let reason):
                guard acceptsLoss else {
                    throw OpenFailure(message: DamagedLog.lost(reason).advice, isDamage: true)
                }
                let saved = try copyAside()
                try CommitMarkFile.remove(of: database)
                health.report(
                    .damaged,
                    "\(database) \(DamagedLog.lost(reason))"
                        + (saved.map { "; the log was saved as \($0)" } ?? "")
                )
            }
        } catch let failure as OpenFailure {
            throw failure
        } catch {
            throw OpenFailure(message: "cannot be compared with its commit mark (\(error))")
        }
    }

    private var log: String { database + "-wal" }

    /// A name that no file has, beside the log.
    private var freeName: String {
        let name = "\(log).damaged-\(time(nil))"
        var candidate = name
        var number = 1
        while access(candidate, F_OK) == 0 {
            number += 1
            candidate = "\(name)-\(number)"
        }
        return candidate
    }

    /// Gives a log of which the database contains everything another name, and removes the mark.
    ///
    /// - Returns: The new path.
    /// - Throws: ``SystemFailure``.
    func moveAside() throws -> String {
        let target = freeName
        guard rename(log, target) == 0 else { throw SystemFailure(number: errno) }
        try LogDescriptor.synchronizeFolder(of: log)
        try CommitMarkFile.remove(of: database)
        return target
    }

    /// Copies the log, synced; `nil` if there is none.
    private func copyAside() throws -> String? {
        guard access(log, F_OK) == 0 else { return nil }
        let target = freeName
        let source = try LogDescriptor(log)
        let copy = try LogDescriptor(target, flags: O_WRONLY | O_CREAT | O_EXCL)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: LogRescue.blockSize, alignment: 16)
        defer { block.deallocate() }
        var offset: Int64 = 0
        while true {
            let count = try source.read(into: block, at: offset)
            if count == 0 { break }
            try copy.write(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(block)[..<count]), at: offset)
            offset += Int64(count)
        }
        try copy.synchronize()
        try LogDescriptor.synchronizeFolder(of: log)
        return target
    }
}

internal import Glibc

/// What the storage folder does when files are written: how fast syncs are, and whether files can have two names.
///
/// The files are in a folder of their own, which is removed. A folder that a killed process leaves is removed by the next
/// trial.
struct StorageTrial: Sendable {
    /// Seconds for each sync of a small append; empty if nothing was written.
    var syncs: [Double] = []
    /// Whether link(2) works.
    var canLink = true
    /// The error that ended the trial; `nil` if there is none.
    var failure: String?

    static let folderName = ".doctor"
    /// Syncs at most.
    private static let most = 50
    /// Seconds after which no other sync begins.
    private static let time = 1.0

    init() {}

    /// Makes the trial in a folder; takes about a second on a slow disk.
    init(in storage: String) {
        let folder = "\(storage)/\(StorageTrial.folderName)"
        let (first, second) = ("\(folder)/appended", "\(folder)/linked")
        func removeAll() {
            unlink(first)
            unlink(second)
            rmdir(folder)
        }
        removeAll()
        guard mkdir(folder, 0o700) == 0 else {
            failure = StorageTrial.systemError()
            return
        }
        defer { removeAll() }
        let file = open(first, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_APPEND, 0o600)
        guard file >= 0 else {
            failure = StorageTrial.systemError()
            return
        }
        defer { close(file) }
        // The first sync also writes the file's name and size, later ones only bytes and size.
        let record = [UInt8](repeating: 0x6C, count: 512)
        let start = StorageTrial.now()
        while syncs.count < StorageTrial.most, StorageTrial.now() - start < StorageTrial.time {
            let before = StorageTrial.now()
            guard write(file, record, record.count) == record.count, fdatasync(file) == 0 else {
                failure = StorageTrial.systemError()
                return
            }
            syncs.append(StorageTrial.now() - before)
        }
        canLink = link(first, second) == 0
    }

    private static func systemError() -> String { String(cString: strerror(errno)) }

    private static func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Judgements of a trial.
extension StorageTrial {
    /// A disk needs longer for a sync: a flash cell 20 µs or more, a disk that turns some milliseconds.
    private static let tooFast = 15e-6
    private static let slow = 20e-3
    private static let tooSlow = 200e-3

    /// All findings.
    ///
    /// - Parameter isMemory: Whether the file system is in memory, where a sync does nothing.
    /// - Returns: One for each subject.
    func findings(isMemory: Bool) -> [Finding] {
        if let failure {
            return [Finding("storage.syncs", .problem, "the storage folder cannot be written: \(failure)")]
        }
        let links =
            canLink
            ? Finding("storage.links", .ok, "hard links work")
            : Finding("storage.links", .problem, "the file system has no hard links, with which uploads are committed")
        return isMemory ? [links] : [speed, links]
    }

    private var speed: Finding {
        let subject = "storage.syncs"
        guard !syncs.isEmpty else { return Finding(subject, .note, "not measured") }
        let median = syncs.sorted()[syncs.count / 2]
        let rate = Int64((1 / max(median, 1e-9)).rounded())
        let text = "a sync takes \(decimal(median * 1000)) ms (\(count(rate, "sync")) a second)"
        if median < StorageTrial.tooFast {
            let more =
                ": no disk is that fast, so a power failure can lose acknowledged uploads. Check that neither the "
                + "disk nor the virtual machine ignores syncs"
            return Finding(subject, .note, "a sync takes \(decimal(median * 1e6)) µs" + more)
        }
        if median >= StorageTrial.tooSlow {
            return Finding(subject, .problem, "\(text): each upload waits for several; use a faster disk")
        }
        if median >= StorageTrial.slow {
            return Finding(subject, .note, "\(text): each upload waits for several; a flash disk is ten times as fast")
        }
        return Finding(subject, .ok, text)
    }
}

internal import NIOCore

/// Responses by target, in two generations.
///
/// A used entry moves to the young one. When the young one would use more than half of a limit, the old one is dropped
/// and the young one becomes the old one. So entries in use stay, without an ordered list.
struct HotDownloadTable: Sendable {
    /// The responses to a target.
    struct Entry: Sendable {
        var download: HotDownload
        /// The keys and paths of whose files they depend.
        let names: [String]
        /// When the target's next request takes the route again.
        let expiry: NIODeadline
    }

    /// Entries that were removed; releasing them can close files.
    struct Removed: Sendable {
        fileprivate var generations: [Generation] = []
        fileprivate var entries: [Entry] = []

        fileprivate mutating func add(_ other: Removed) {
            generations += other.generations
            entries += other.entries
        }
    }

    /// Entries that became used at about the same time.
    struct Generation: Sendable {
        var entries: [String: Entry] = [:]
        /// The targets of the entries by the names on which they depend.
        var targets: [String: Set<String>] = [:]
        var memory = 0
        var files = 0

        mutating func insert(_ entry: Entry, _ target: String) {
            remove(target)
            entries[target] = entry
            memory += entry.cost(target)
            if entry.download.file != nil { files += 1 }
            for name in entry.names { targets[name, default: []].insert(target) }
        }

        @discardableResult
        mutating func remove(_ target: String) -> Entry? {
            guard let entry = entries.removeValue(forKey: target) else { return nil }
            memory -= entry.cost(target)
            if entry.download.file != nil { files -= 1 }
            for name in entry.names {
                targets[name]?.remove(target)
                if targets[name]?.isEmpty == true { targets[name] = nil }
            }
            return entry
        }

        mutating func remove(dependingOn name: String) -> [Entry] {
            (targets[name] ?? []).compactMap { remove($0) }
        }

        /// Whether the generation would use more than half of a limit with a further entry.
        func isFull(for entry: Entry, _ target: String, _ limits: HotDownloadLimits) -> Bool {
            entries.count >= limits.responses / 2 || memory + entry.cost(target) > limits.memory / 2
                || (entry.download.bytes == nil && files >= limits.files / 2)
        }
    }

    private let limits: HotDownloadLimits
    private var young = Generation()
    private var old = Generation()
    /// Targets that were requested once, by their hash values: a collision prepares a response too early.
    private var seen = Set<Int>()
    /// Counts the changes of files and of everything.
    private var epoch = 0
    /// The epoch of the last change of everything.
    private var newestClear = 0
    /// The keys of the last changed files, one for each epoch up to ``epoch``.
    private var changed: [String] = []

    /// The number of changes that are compared with a preparation; one that lasts for more of them is refused.
    private static let comparedChanges = 256

    /// The number of targets with responses.
    var count: Int { young.entries.count + old.entries.count }
    /// The memory of the responses in bytes.
    var memory: Int { young.memory + old.memory }

    init(limits: HotDownloadLimits) {
        self.limits = limits
    }

    /// The responses to a target, and an entry that is outdated.
    mutating func find(_ target: String, at now: NIODeadline) -> (HotDownload?, Removed) {
        if let entry = young.entries[target] {
            if entry.expiry > now { return (entry.download, Removed()) }
        } else if let entry = old.entries[target], entry.expiry > now {
            old.remove(target)
            return (entry.download, insert(entry, target))
        } else if old.entries[target] == nil {
            return (nil, Removed())
        }
        note(target)
        return (nil, remove(target))
    }

    /// The epoch for ``store(_:_:_:)``; `nil` if the target was not requested before.
    mutating func epochIfWanted(_ target: String) -> Int? {
        guard limits.responses > 1 else { return nil }
        if seen.contains(target.hashValue) { return epoch }
        note(target)
        return nil
    }

    private mutating func note(_ target: String) {
        if seen.count >= 2 * limits.responses { seen.removeAll(keepingCapacity: true) }
        seen.insert(target.hashValue)
    }

    mutating func store(_ entry: Entry, _ target: String, _ epoch: Int) -> Removed {
        guard isValid(entry, since: epoch), entry.cost(target) <= limits.memory / 2,
            entry.download.bytes != nil || limits.files > 1
        else { return Removed() }
        var removed = remove(target)
        removed.add(insert(entry, target))
        return removed
    }

    /// Whether no file on which the entry depends has changed since an epoch.
    private func isValid(_ entry: Entry, since epoch: Int) -> Bool {
        let count = self.epoch - epoch
        guard epoch >= newestClear, count <= changed.count else { return false }
        return !changed.suffix(count).contains(where: entry.names.contains)
    }

    private mutating func insert(_ entry: Entry, _ target: String) -> Removed {
        var removed = Removed()
        if young.isFull(for: entry, target, limits) {
            removed.generations = [old]
            old = young
            young = Generation()
        }
        var entry = entry
        // The other files are for bodies that are not in memory.
        if entry.download.file != nil, young.files >= limits.files / 4, let download = entry.download.withoutFile {
            entry.download = download
        }
        young.insert(entry, target)
        return removed
    }

    mutating func remove(dependingOn names: [String]) -> Removed {
        epoch += names.count
        changed += names
        if changed.count > 2 * HotDownloadTable.comparedChanges {
            changed.removeFirst(changed.count - HotDownloadTable.comparedChanges)
        }
        return Removed(
            entries: names.flatMap { young.remove(dependingOn: $0) + old.remove(dependingOn: $0) }
        )
    }

    mutating func remove(_ target: String) -> Removed {
        Removed(entries: [young.remove(target), old.remove(target)].compactMap(\.self))
    }

    mutating func removeAll() -> Removed {
        epoch += 1
        newestClear = epoch
        changed = []
        defer {
            young = Generation()
            old = Generation()
        }
        return Removed(generations: [young, old])
    }
}

extension HotDownloadTable.Entry {
    /// The memory in bytes that the entry takes: its responses, its strings, and about 512 for its structures.
    func cost(_ target: String) -> Int {
        download.memory + 2 * target.utf8.count + names.reduce(512) { $0 + 2 * $1.utf8.count }
    }
}

internal import Domain

/// The derivatives that are open, and those that are being opened.
///
/// Changes return the removed entries: the caller holds a lock during the change and closes them after releasing it.
struct OpenEntries: Sendable {
    private struct Entry {
        let file: DiskOpenDerivative
        var use: Int
    }

    /// Files that are being opened under one name.
    private struct Opening {
        var count = 0
        /// Counts removals of the name, so that a file opened before a removal is not cached after it.
        var epoch = 0
    }

    private let bound: Int
    private var entries: [DerivativeName: Entry] = [:]
    /// At most one for each thread that opens files at this moment.
    private var openings: [DerivativeName: Opening] = [:]
    /// The number of uses, which orders entries by their last use.
    private var uses = 0

    /// - Parameter bound: The maximum number of open files; 0 for none.
    init(bound: Int) {
        self.bound = bound
    }

    /// All open files.
    var files: [(name: DerivativeName, file: DiskOpenDerivative)] {
        entries.map { (name: $0.key, file: $0.value.file) }
    }

    /// The open file of a derivative; counts as a use.
    mutating func find(_ name: DerivativeName) -> DiskOpenDerivative? {
        uses += 1
        guard let place = entries.index(forKey: name) else { return nil }
        entries.values[place].use = uses
        return entries.values[place].file
    }

    /// Records that a file is being opened; returns the epoch for ``end(_:since:with:)``.
    mutating func begin(_ name: DerivativeName) -> Int {
        var opening = openings[name] ?? Opening()
        opening.count += 1
        openings[name] = opening
        return opening.epoch
    }

    /// Records that a file was opened or is missing, and caches it unless its name was removed meanwhile.
    mutating func end(
        _ name: DerivativeName,
        since epoch: Int,
        with file: DiskOpenDerivative?
    ) -> [DiskOpenDerivative] {
        guard var opening = openings[name] else { return [] }
        opening.count -= 1
        openings[name] = opening.count > 0 ? opening : nil
        guard opening.epoch == epoch, let file, bound > 0 else { return [] }
        var removed: [DiskOpenDerivative] = []
        if entries.count >= bound, entries[name] == nil { removed = removeOldest() }
        uses += 1
        let former = entries.updateValue(Entry(file: file, use: uses), forKey: name)
        if let former { removed.append(former.file) }
        return removed
    }

    /// Removes one derivative.
    mutating func remove(_ name: DerivativeName) -> [DiskOpenDerivative] {
        openings[name]?.epoch += 1
        guard let former = entries.removeValue(forKey: name) else { return [] }
        return [former.file]
    }

    /// Removes all derivatives of a source.
    mutating func remove(allOf source: String) -> [DiskOpenDerivative] {
        for name in Array(openings.keys) where name.source == source { openings[name]?.epoch += 1 }
        let names = entries.keys.filter { $0.source == source }
        return names.compactMap { entries.removeValue(forKey: $0)?.file }
    }

    /// Removes those of some files that are still open under their names.
    mutating func remove(_ files: [(name: DerivativeName, file: DiskOpenDerivative)]) -> [DiskOpenDerivative] {
        for (name, file) in files where entries[name]?.file === file { entries[name] = nil }
        return files.map { $0.file }
    }

    /// Prevents files that are being opened now from being cached.
    mutating func outdateOpenings() {
        for name in Array(openings.keys) { openings[name]?.epoch += 1 }
    }

    /// Removes the least recently used half at once, so that sorting is rare.
    private mutating func removeOldest() -> [DiskOpenDerivative] {
        let oldest = entries.sorted { $0.value.use < $1.value.use }.dropLast(bound / 2)
        for entry in oldest { entries[entry.key] = nil }
        return oldest.map { $0.value.file }
    }
}

internal import Domain

/// Compares the records of an app with its blobs, one of 256 folders at a time.
struct FileComparison {
    private let check: AppCheck
    private let database: any CheckedDatabase
    private var observer: CheckObserver { check.observer }

    /// The files whose blobs the server knows to be damaged; they are read always, so that they are reported until they
    /// are whole.
    private let known: Set<ObjectID>

    /// The number of blobs that are read at a time.
    private static let batchSize = 64

    init(_ check: AppCheck, _ database: any CheckedDatabase) throws {
        self.check = check
        self.database = database
        known = try database.damagedFiles(limit: 10_000)
    }

    /// Compares in both directions.
    ///
    /// - Parameters:
    ///   - hidesNames: Whether a damaged row can name blobs.
    ///   - summary: Counts the findings.
    /// - Throws: Errors of the database and of the storage.
    func run(hidingNames hidesNames: Bool, _ summary: inout CheckSummary) throws {
        observer.step("records of files")
        let totals = try database.listFiles { _ in }
        summary.files += totals.files
        summary.bytes += totals.bytes
        for record in totals.unreadable {
            let detail = "(row \(record.number)) has no valid key, size or digest"
            check.report(.unreadableRecord, "_File/\(record.id)", detail, &summary)
        }
        // Of a part of the blobs the bytes are estimated, because they are known only as they are read.
        let readBytes = check.options.readsData ? totals.bytes / Int64(check.options.subset.blobs.parts) : 0
        observer.expect(totals.files, readBytes)
        observer.step("blobs")
        for byte in UInt8.min...UInt8.max { try compare(byte, &summary) }
        try checkUnnamed(hidingNames: hidesNames || !totals.unreadable.isEmpty, &summary)
    }

    private func compare(_ byte: UInt8, _ summary: inout CheckSummary) throws {
        let names = try check.blobs.names(beginningWith: byte)
        for path in names.foreign.sorted() {
            check.report(.foreignFile, path, "is no file of lcfile", &summary)
        }
        let files = try database.files(beginningWith: byte)
        let comparison = BlobComparison(of: names.blobs, with: files)
        try database.noteUnnamed(comparison.unnamed)
        for file in comparison.missing { try report(file, .missing, &summary) }
        let present = comparison.present.map(\.entry)
        try compare(present.filter { !isRead($0) }, reading: false, &summary)
        try compare(present.filter(isRead), reading: true, &summary)
        try PutComparison(check).report(names.puts, besides: files, &summary)
        observer.checked(comparison.missing.count, 0)
    }

    private func compare(_ files: [FileEntry], reading isReading: Bool, _ summary: inout CheckSummary) throws {
        var rest = files[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(FileComparison.batchSize))
            rest.removeFirst(batch.count)
            for (file, condition) in zip(batch, try check.blobs.check(batch, comparingDigests: isReading)) {
                try report(file, condition, &summary)
            }
            let bytes = isReading ? batch.reduce(0) { $0 + $1.facts.size } : 0
            if isReading { summary.readFiles += batch.count }
            summary.readBytes += bytes
            observer.checked(batch.count, bytes)
        }
    }

    /// Whether the bytes of a file's blob are read.
    private func isRead(_ file: FileEntry) -> Bool {
        let options = check.options
        return known.contains(file.id) || options.readsData && options.subset.blobs.contains(BlobName(file.key))
    }

    /// Reports a blob that is not whole, after a second look: its file can have been deleted since it was listed.
    private func report(_ file: FileEntry, _ condition: BlobCondition, _ summary: inout CheckSummary) throws {
        guard condition != .whole else {
            // The server reads it and serves it again.
            if known.contains(file.id) { _ = check.blobs.noteSuspects([file.id]) }
            return
        }
        guard try database.has(file) else { return }
        let again = try check.blobs.check([file], comparingDigests: isRead(file)).first ?? condition
        switch again {
        case .whole: return
        case .missing: check.report(.missingBlob, "_File/\(file.id)", "has no blob (key \(file.key))", &summary)
        case .damaged(let damage): check.report(.damagedBlob, "_File/\(file.id)", "has a blob that \(damage)", &summary)
        }
        // The server that runs, or the next one, reads it and does not serve it until it is whole.
        _ = check.blobs.noteSuspects([file.id])
    }

    /// Reports the blobs that no record names, after a second look: a file can have been stored since they were listed.
    private func checkUnnamed(hidingNames hidesNames: Bool, _ summary: inout CheckSummary) throws {
        guard try !database.unnamed(after: nil, limit: 1).isEmpty else { return }
        observer.step("blobs without a record")
        // Notes first: a commit whose note is gone by then has its record.
        let notes = try check.blobs.staged().notes.map(\.blob)
        try database.dropNamed(besides: notes)
        var last: BlobName?
        while true {
            let page = try database.unnamed(after: last, limit: 1000)
            guard let end = page.last else { return }
            for blob in page where check.blobs.has(blob) {
                let (path, detail) = ("blobs/\(blob)", "is the blob of no record")
                try check.reportOrphan(path, detail, hidingNames: hidesNames, &summary) {
                    try check.blobs.moveToLostAndFound(blob)
                }
            }
            last = end
        }
    }
}

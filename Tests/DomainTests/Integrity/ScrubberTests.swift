import NIOCore
import Support
import Synchronization
import Testing

@testable import Domain

/// The scrubber on stores in memory, driven step by step.
@Suite struct ScrubberTests {
    private let store = MemoryObjectStore()
    private let blobs = MemoryBlobInspection()
    private let rows = MemoryRowInspection()
    private let journal = MemoryScrubJournal()
    private let derivatives = MemoryDerivativeStore()
    private let suspects = Suspects()
    private let changes = Counter()
    private let scrubber: Scrubber
    private let files: FileService

    init() throws {
        var settings = ScrubSettings()
        settings.minRate = .max
        let app = try #require(AppID("app"))
        files = FileService(files: FileRecords(store), blobs: MemoryBlobStore())
        scrubber = Scrubber(
            Scrubber.Parts(
                app: app,
                store: store,
                blobs: blobs,
                rows: rows,
                derivatives: derivatives,
                journal: journal,
                suspects: suspects,
                settings: settings,
                onChange: { [changes] in _ = changes.next() }
            )
        )
    }

    private func stored(_ count: Int = 1) async throws -> [FileRecord] {
        let records = try (0..<count).map { try Samples.record("\($0).jpg") }
        try await FileRecords(store).insert(records)
        return records
    }

    private func damages() async throws -> [String] {
        try await store.read { try $0.knownDamage(after: nil, limit: 100) }
            .compactMap(KnownDamage.init(stored:)).map { "\($0.subject) \($0.detail)" }
    }

    private func isServed(_ record: FileRecord) async throws -> Bool {
        do {
            return try await files.find(record.key) != nil
        } catch let error as ServiceError {
            #expect(error.code == .internalFailure)
            return false
        }
    }

    @Test("a round reads every file once, in the order of ids, and ends")
    func round() async throws {
        let records = try await stored(150)
        try await scrubber.runNextRound { _ in }
        #expect(blobs.inspected == records.map(\.id).sorted())
        let state = try #require(try await journal.load())
        #expect(!state.isRunning)
        #expect(state.files == 150)
        #expect(state.ended != nil)
        #expect(try await damages().isEmpty)
    }

    @Test("a round that was interrupted continues behind its last file")
    func continued() async throws {
        let records = try await stored(5).sorted { $0.id < $1.id }
        var state = ScrubState()
        state.begin(at: .now())
        state.hasRows = true
        state.file = records[2].id
        try await journal.save(state)
        try await scrubber.runNextRound { _ in }
        #expect(blobs.inspected == records[3...].map(\.id))
    }

    @Test(
        "a damaged file is recorded and not served, also not from a cache; when it is whole again it is served",
        arguments: [BlobCondition.damaged("holds other bytes"), .missing]
    )
    func damaged(condition: BlobCondition) async throws {
        let records = try await stored(2)
        for record in records { #expect(try await isServed(record)) }
        let name = DerivativeName(source: records[0].key.description, request: "small")
        try await derivatives.store(ByteBuffer(string: "small"), as: .jpeg, under: name)
        blobs.set(condition, of: records[0].id)
        try await scrubber.runNextRound { _ in }
        #expect(try await !isServed(records[0]))
        #expect(try await isServed(records[1]))
        #expect(try await damages().count == 1)
        #expect(try await derivatives.open(name) == nil)
        #expect(changes.value == 1)
        // Nothing changed, so nothing is read again.
        let reads = blobs.inspected.count
        _ = try await scrubber.recheck(after: nil, reporting: true)
        #expect(blobs.inspected.count == reads)
        blobs.set(.whole, of: records[0].id)
        _ = try await scrubber.recheck(after: nil, reporting: false)
        #expect(try await isServed(records[0]))
        #expect(try await damages().isEmpty)
        #expect(changes.value == 2)
    }

    @Test("a damaged file that is deleted is forgotten")
    func deleted() async throws {
        let records = try await stored()
        blobs.set(.missing, of: records[0].id)
        try await scrubber.examine(records[0].id)
        #expect(try await damages() == ["blob/\(records[0].id) is missing"])
        _ = try await store.write { try $0.delete(records[0].id, in: .file) }
        _ = try await scrubber.recheck(after: nil, reporting: false)
        #expect(try await damages().isEmpty)
    }

    @Test("a file that is deleted while it is read is not damaged")
    func deletedMeanwhile() async throws {
        let record = try await stored()[0]
        _ = try await store.write { try $0.delete(record.id, in: .file) }
        let file = FileEntry(id: record.id, key: record.key, facts: record.facts)
        try await scrubber.settle(file, .missing, isKnown: false)
        #expect(try await damages().isEmpty)
    }

    @Test("what a request or a check found damaged is read at once")
    func suspected() async throws {
        let records = try await stored(3)
        suspects.insert(records[1].id)
        journal.add(records[2].id)
        journal.add(ObjectIDGenerator().next())
        blobs.set(.missing, of: records[2].id)
        #expect(try await scrubber.examineSuspects() == 3)
        #expect(blobs.inspected == [records[1].id, records[2].id].sorted())
        #expect(try await journal.suspects().isEmpty)
        #expect(try await damages().count == 1)
        #expect(try await scrubber.examineSuspects() == 0)
    }

    @Test("damaged rows are recorded once, and until they are whole")
    func damagedRows() async throws {
        let row = DamagedRow(className: "Task", number: 2, id: "a1", damage: "is not what was written")
        rows.set([row])
        try await scrubber.runNextRound { _ in }
        try await scrubber.settle(row, behind: nil)
        #expect(try await damages() == ["row/Task/2 is not what was written"])
        try await scrubber.settle(row, behind: RowPosition(classNumber: 1, rowNumber: 1))
        _ = try await scrubber.recheck(after: nil, reporting: true)
        #expect(try await damages().count == 1)
        try await scrubber.count()
        #expect(scrubber.progress.withLock(\.damagedRows) == 1)
        rows.set([])
        _ = try await scrubber.recheck(after: nil, reporting: false)
        #expect(try await damages().isEmpty)
    }

    @Test("a round passes over file records whose rows are damaged")
    func damagedRecord() async throws {
        let records = try await stored(3).sorted { $0.id.description < $1.id.description }
        rows.set([DamagedRow(className: "_File", number: 2, id: records[1].id.description, damage: "is damaged")])
        for record in records { blobs.set(.missing, of: record.id) }
        try await scrubber.runNextRound { _ in }
        let known = try await store.read { try $0.knownDamage(after: nil, limit: 100) }
        let found = Set(known.compactMap(KnownDamage.init(stored:)).compactMap(\.file))
        #expect(found == [records[0].id, records[2].id])
    }

    @Test("the flag of a record without a row of damage goes when the file is read and whole")
    func flagOnly() async throws {
        let record = try await stored()[0]
        blobs.set(.missing, of: record.id)
        try await scrubber.examine(record.id)
        try await store.write { writer in
            let rows = try writer.knownDamage(after: nil, limit: 10)
            _ = try writer.delete(rows.map(\.id), in: .damage)
        }
        #expect(try await !isServed(record))
        blobs.set(.whole, of: record.id)
        try await scrubber.examine(record.id)
        #expect(try await isServed(record))
    }
}

import Domain
import Logging
import Support
import Synchronization
import Testing

/// A storage whose condition the test says.
private final class FixedInspector: StorageInspector {
    let condition = Mutex(StorageCondition())
    let suspicions = Mutex<[StorageFault?]>([])

    var seen: [StorageFault?] { suspicions.withLock { $0 } }

    func inspect(suspecting suspicion: StorageFault?) -> StorageCondition {
        suspicions.withLock { $0.append(suspicion) }
        return condition.withLock { $0 }
    }

    func set(_ faults: Set<StorageFault>, refusesGrowth: Bool = false, hasSpare: Bool = true) {
        condition.withLock { condition in
            condition.faults = faults
            condition.refusesGrowth = refusesGrowth
            condition.hasSpare = hasSpare
        }
    }
}

/// Records the details of a log's lines.
private struct DetailHandler: LogHandler {
    let details: LogLines
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ details: LogLines) {
        self.details = details
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        if let detail = event.metadata?["detail"] { details.add("\(detail)") }
    }
}

@Suite struct StorageHealthTests {
    private let inspector = FixedInspector()

    private func code(_ body: () throws -> Void) -> ServiceError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? ServiceError)?.code
        }
    }

    @Test("each fault has its error and is found again in it", arguments: StorageFault.allCases)
    func errors(fault: StorageFault) {
        #expect(StorageFault(fault.error(cause: Broken())) == fault)
        #expect(fault.error().message == fault.message)
    }

    @Test("other errors tell of no fault and are passed on as they are")
    func otherErrors() {
        let health = StorageHealth(inspector: inspector)
        #expect(StorageFault(Broken()) == nil)
        #expect(StorageFault(ServiceError(.internalFailure, "Internal error.")) == nil)
        #expect(throws: Broken.self) { try health.reporting { throw Broken() } }
        #expect(inspector.seen.isEmpty)
    }

    @Test("while space is not held for deletes nothing is refused and nothing is looked at")
    func open() throws {
        let health = StorageHealth(inspector: inspector)
        try health.requireSpace()
        #expect(inspector.seen.isEmpty)
    }

    @Test(
        "on a full storage data is refused, and what adds next to nothing only when the rest of the reserve is needed"
    )
    func gate() throws {
        let health = StorageHealth(inspector: inspector)
        inspector.set([.full], refusesGrowth: true)
        health.look()
        #expect(code { try health.requireSpace() } == .storageFull)
        #expect(code { try health.requireSpace(for: .small) } == nil)
        inspector.set([.full], refusesGrowth: true, hasSpare: false)
        #expect(code { try health.requireSpace(for: .small) } == .storageFull)
    }

    @Test("a new session of a user or of the console is small, and what a deletion needs is never refused")
    func growth() throws {
        for name in [ClassName.session, .consoleSession] { #expect(StorageGrowth(newObjectIn: name) == .small) }
        for name in [ClassName.deletion, .trash, .goneKey, .peopleJob, .usage] {
            #expect(StorageGrowth(newObjectIn: name) == nil)
        }
        for name in [try ClassName("Album"), .file, .user, .consoleAudit] {
            #expect(StorageGrowth(newObjectIn: name) == .data)
        }
    }

    @Test("what is displaced makes the storage fail, and is counted once as long as it lasts")
    func displaced() {
        let reported = Counter()
        let health = StorageHealth(inspector: inspector) { fault in if fault == .failing { _ = reported.next() } }
        let lost = StorageDisplacement.database("lcfile.sqlite")
        #expect(health.look(displaced: [lost]).faults == [.failing])
        health.look(displaced: [lost])
        #expect(health.faults == [.failing])
        #expect(reported.value == 1)
        // Only the app that has it refuses changes.
        #expect(code { try health.requireSpace() } == nil)
        health.look()
        health.look(displaced: [lost])
        #expect(reported.value == 2)
    }

    @Test("each displacement is logged once, also one that a request met, that is back, or that follows many details")
    func loggedDisplacements() {
        let details = LogLines()
        let health = StorageHealth(inspector: inspector, logger: Logger(label: "test") { _ in DetailHandler(details) })
        for number in 0..<2000 { health.report(.failing, "blob \(number)") }
        let lost = StorageDisplacement.database("lcfile.sqlite")
        var count: Int { details.all.count { $0 == lost.description } }
        _ = health.reported(lost.refusal)
        #expect(count == 0)
        // It is back before the look.
        health.look()
        #expect(count == 1)
        #expect(health.faults == [.failing])
        health.look()
        _ = health.reported(lost.refusal)
        health.look(displaced: [lost])
        #expect(count == 2)
        _ = health.reported(lost.refusal)
        health.look(displaced: [lost])
        health.look()
        #expect(count == 2)
        health.look(displaced: [lost])
        #expect(count == 3)
        // A request can meet it while the look is under way that does not find it yet.
        health.look()
        _ = health.reported(lost.refusal)
        health.look()
        health.look(displaced: [lost])
        #expect(count == 4)
    }

    @Test("a storage folder that was replaced refuses data until the original is back, and the refusals are failures")
    func replacedFolder() {
        let reported = Mutex<[StorageFault]>([])
        let health = StorageHealth(inspector: inspector) { fault in reported.withLock { $0.append(fault) } }
        inspector.condition.withLock { $0.displaced = [.storage("folder")] }
        health.look()
        for growth in [StorageGrowth.data, .small] {
            #expect(code { try health.reporting { try health.requireSpace(for: growth) } } == .storageReadOnly)
        }
        #expect(code { try health.requireFolder() } == .storageReadOnly)
        #expect(reported.withLock(\.self) == [.failing, .failing, .failing])
        inspector.condition.withLock { $0.displaced = [] }
        #expect(code { try health.requireSpace() } == nil)
    }

    @Test("space that came free opens the storage again with the next request, without a look in between")
    func opensAgain() throws {
        let health = StorageHealth(inspector: inspector)
        inspector.set([.full], refusesGrowth: true)
        health.look()
        inspector.set([])
        try health.requireSpace()
    }

    @Test("a fault that a request meets is counted, looked into, and refuses further data at once")
    func report() {
        let reported = Counter()
        let health = StorageHealth(inspector: inspector) { _ in _ = reported.next() }
        inspector.set([.full], refusesGrowth: true)
        #expect(code { try health.reporting { throw StorageFault.full.error(cause: Broken()) } } == .storageFull)
        #expect(inspector.seen == [.full])
        #expect(reported.value == 1)
        #expect(code { try health.requireSpace() } == .storageFull)
        // The refusal needs no other inspection.
        let inspections = inspector.seen.count
        #expect(code { try health.reporting { try health.requireSpace() } } == .storageFull)
        #expect(inspector.seen.count == inspections + 1)
        #expect(reported.value == 2)
    }

    @Test(
        "an I/O error is told as what the file system says, if that is more exact",
        arguments: [
            (Set<StorageFault>(), StorageFault.failing), ([.readOnly], .readOnly), ([.full], .full),
            ([.full, .readOnly], .readOnly),
        ] as [(Set<StorageFault>, StorageFault)]
    )
    func exact(faults: Set<StorageFault>, expected: StorageFault) {
        inspector.set(faults)
        let error = StorageHealth(inspector: inspector).reported(StorageFault.failing.error(cause: Broken()))
        #expect(StorageFault(error) == expected)
        #expect((error as? ServiceError)?.cause is Broken)
    }

    @Test("full and read-only are shown by looks alone; an I/O error and damage by their report")
    func faults() {
        let health = StorageHealth(inspector: inspector)
        for fault in [StorageFault.full, .readOnly] { health.report(fault, "") }
        #expect(health.faults == [])
        inspector.set([.full])
        health.look()
        #expect(health.faults == [.full])
        inspector.set([.readOnly])
        health.look()
        health.report(.failing, "a blob")
        health.report(.damaged, "a page")
        #expect(health.faults == [.damaged, .failing, .readOnly])
        inspector.set([])
        health.look()
        #expect(health.faults == [.damaged, .failing])
    }
}

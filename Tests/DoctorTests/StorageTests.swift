import Glibc
import Support
import Testing

@testable import Doctor

@Suite("Judgements of a storage folder")
struct StorageTests {
    /// Good facts with a change.
    private static func facts(_ change: (inout StorageFacts) -> Void = { _ in }) -> StorageFacts {
        var facts = StorageFacts(path: "/storage")
        (facts.user, facts.owner) = (990, 990)
        (facts.free, facts.total) = (50 << 30, 100 << 30)
        (facts.freeInodes, facts.totalInodes) = (900_000, 1_000_000)
        change(&facts)
        return facts
    }

    /// Facts with one fault, and what is said of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let subject: String
        let level: Finding.Level
        let facts: StorageFacts

        init(
            _ name: String,
            _ subject: String,
            _ level: Finding.Level,
            _ change: (inout StorageFacts) -> Void
        ) {
            testDescription = name
            self.subject = "storage.\(subject)"
            self.level = level
            facts = StorageTests.facts(change)
        }
    }

    static let cases = [
        Case("unreadable", "folder", .problem) { $0.failure = "Permission denied" },
        Case("a file", "folder", .problem) { $0.isFolder = false },
        Case("not writable", "folder", .problem) { $0.isWritable = false },
        Case("new", "folder", .note) { $0.exists = false },
        Case("root looks at another's", "folder", .note) { $0.user = 0 },
        Case("open to others", "folder", .note) { $0.mode = 0o755 },
        Case("keys open to others", "keys", .problem) { $0.keysMode = 0o644 },
        Case("tmpfs", "fileSystem", .problem) { $0.fileSystem = 0x0102_1994 },
        Case("NFS", "fileSystem", .problem) { $0.fileSystem = 0x6969 },
        Case("SMB", "fileSystem", .problem) { $0.fileSystem = 0xFF53_4D42 },
        Case("SMB as a negative number", "fileSystem", .problem) {
            $0.fileSystem = Int64(Int32(bitPattern: 0xFF53_4D42))
        },
        Case("overlay", "fileSystem", .problem) { $0.fileSystem = 0x794C_7630 },
        Case("FUSE", "fileSystem", .note) { $0.fileSystem = 0x6573_5546 },
        Case("unknown", "fileSystem", .note) { $0.fileSystem = 1 },
        Case("full", "space", .problem) { $0.free = 100 << 20 },
        Case("nearly full", "space", .note) { $0.free = 4 << 30 },
        Case("no inodes", "inodes", .problem) { $0.freeInodes = 5000 },
        Case("few inodes", "inodes", .note) { $0.freeInodes = 40_000 },
    ]

    @Test("one fault is one note or problem", arguments: cases)
    func judges(_ example: Case) {
        let findings = example.facts.findings(minFree: 128 << 20)
        let bad = findings.filter { $0.level != .ok }
        #expect(bad.map(\.subject) == [example.subject])
        #expect(bad.map(\.level) == [example.level])
    }

    @Test("a target of the continuous backup that the server cannot use is a problem")
    func judgesBackupTargets() {
        let unusable = [
            Self.facts { $0.failure = "Permission denied" }, Self.facts { $0.isFolder = false },
            Self.facts { $0.isWritable = false },
        ]
        for facts in unusable { #expect(facts.backupTarget(hasOtherFiles: false).level == .problem) }
        #expect(Self.facts().backupTarget(hasOtherFiles: true).level == .problem)
        #expect(Self.facts { $0.exists = false }.backupTarget(hasOtherFiles: false).level == .note)
        #expect(Self.facts().backupTarget(hasOtherFiles: false).level == .ok)
    }

    @Test("a good folder has no note; a small file system can be ready, and one can make inodes as needed")
    func judgesGoodFolders() {
        for facts in [
            StorageTests.facts(),
            StorageTests.facts { ($0.free, $0.total) = (100 << 20, 512 << 20) },
            StorageTests.facts { $0.totalInodes = 0 },
            StorageTests.facts { $0.fileSystem = 0x9123_683E },
        ] {
            #expect(facts.findings(minFree: 128 << 20).allSatisfy { $0.level == .ok })
        }
    }

    @Test(
        "the speed of syncs has three bounds",
        arguments: [
            (2e-6, .note), (14e-6, .note), (20e-6, .ok), (1e-3, .ok), (19e-3, .ok), (25e-3, .note), (300e-3, .problem),
        ] as [(Double, Finding.Level)]
    )
    func judgesSyncs(seconds: Double, level: Finding.Level) {
        var trial = StorageTrial()
        trial.syncs = [seconds, seconds, 5]
        #expect(trial.findings(isMemory: false).first?.level == level)
    }

    @Test("a trial that fails, or links that do, are problems")
    func judgesTrials() {
        var failed = StorageTrial()
        failed.failure = "No space left on device"
        #expect(failed.findings(isMemory: false).map(\.level) == [.problem])
        var unlinked = StorageTrial()
        unlinked.canLink = false
        #expect(unlinked.findings(isMemory: true).map(\.subject) == ["storage.links"])
        #expect(unlinked.findings(isMemory: true).map(\.level) == [.problem])
    }

    @Test("a trial measures, and leaves nothing, also of an earlier one")
    func makesTrials() async throws {
        try await Samples.withFolder { folder in
            mkdir("\(folder)/.doctor", 0o700)
            close(open("\(folder)/.doctor/appended", O_CREAT | O_WRONLY, 0o600))
            let trial = StorageTrial(in: folder)
            #expect(trial.failure == nil && trial.canLink && (1...50).contains(trial.syncs.count))
            #expect(access("\(folder)/.doctor", F_OK) != 0)
            let facts = StorageFacts(reading: folder)
            #expect(facts.exists && facts.isFolder && facts.isWritable && facts.total > 0)
            let new = StorageFacts(reading: "\(folder)/new")
            #expect(!new.exists && new.failure == nil && new.isWritable && new.total == facts.total)
        }
    }

    @Test("temporary files need a folder that can be written; SQLITE_TMPDIR is another one")
    func judgesTemporaryFiles() async throws {
        func level(_ change: (inout TemporaryFacts) -> Void) -> Finding.Level {
            var facts = TemporaryFacts(folder: "/storage/.temporary")
            change(&facts)
            return facts.finding.level
        }
        #expect(level { _ in } == .ok)
        #expect(level { $0.isUsable = false } == .problem)
        #expect(level { ($0.isUsable, $0.chosen) = (false, "/fast") } == .ok)
        #expect(level { $0.isSafe = false } == .note)
        #expect(level { ($0.isSafe, $0.systemFolder) = (false, nil) } == .problem)
        #expect(level { ($0.isSafe, $0.chosen) = (false, "/fast") } == .ok)
        #expect(level { ($0.chosen, $0.isChosenUsable) = ("/fast", false) } == .note)
        try await Samples.withFolder { folder in
            #expect(TemporaryFacts(reading: folder).isUsable, "the next start creates it")
            #expect(chmod(folder, 0o702) == 0)
            #expect(!TemporaryFacts(reading: folder, as: 0).isSafe)
            #expect(TemporaryFacts(reading: folder, as: 1).isSafe)
            #expect(TemporaryFacts.systemFolder(temporary: folder, ["/no"]) == folder, "SQLite uses TMPDIR")
            #expect(TemporaryFacts.systemFolder(temporary: "/none", ["/no", folder]) == folder)
            #expect(TemporaryFacts.systemFolder(temporary: "", ["/no"]) == nil)
            close(open("\(folder)/.temporary", O_CREAT | O_WRONLY, 0o600))
            #expect(!TemporaryFacts(reading: folder).isUsable, "a file is no folder")
        }
    }

    @Test(
        "sizes are short",
        arguments: [(0, "0 B"), (512, "512 B"), (1536, "1.5 KB"), (32 << 20, "32 MB"), (3 << 40, "3 TB")]
            as [(Int64, String)]
    )
    func writesSizes(bytes: Int64, text: String) {
        #expect(size(bytes) == text)
    }

    @Test(
        "numbers have the digits that count",
        arguments: [(0.021, "0.021"), (0.25, "0.25"), (4.04, "4"), (12.6, "13"), (0, "0")]
    )
    func writesNumbers(number: Double, text: String) {
        #expect(decimal(number) == text)
    }
}

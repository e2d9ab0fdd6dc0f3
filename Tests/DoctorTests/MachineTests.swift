import Testing

@testable import Doctor

@Suite("Judgements of the machine")
struct MachineTests {
    /// A machine with one fault, and what is said of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let subject: String
        let level: Finding.Level
        var facts = MachineFacts()
        var needs = MachineNeeds()

        init(
            _ name: String,
            _ subject: String,
            _ level: Finding.Level,
            _ change: (inout MachineFacts, inout MachineNeeds) -> Void
        ) {
            testDescription = name
            self.subject = subject
            self.level = level
            (facts.openFiles, facts.memory, facts.isClockCorrected) = (65_536, 8 << 30, true)
            (needs.possibleConnections, needs.memory) = (10_000, 2 << 30)
            change(&facts, &needs)
        }
    }

    static let cases = [
        Case("the server does not start", "limits.openFiles", .problem) { _, needs in
            (needs.possibleConnections, needs.refusal) = (nil, "the limit of open files is 64")
        },
        Case("a tenth of the connections", "limits.openFiles", .problem) { _, needs in needs.possibleConnections = 1000
        },
        Case("half of the connections", "limits.openFiles", .note) { _, needs in needs.possibleConnections = 5000 },
        Case("a small machine", "limits.memory", .problem) { facts, _ in facts.memory = 1 << 30 },
        Case("a small control group", "limits.memory", .problem) { facts, _ in facts.memoryLimit = 1 << 30 },
        Case("just enough memory", "limits.memory", .note) { facts, _ in facts.memory = 2_300 << 20 },
        Case("unknown memory", "limits.memory", .note) { facts, _ in facts.memory = 0 },
        Case("no filters", "kernel.seccomp", .problem) { facts, _ in facts.hasFilters = false },
        Case("no Landlock", "kernel.landlock", .note) { facts, _ in facts.hasLandlock = false },
        Case("a free clock", "clock.correction", .note) { facts, _ in facts.isClockCorrected = false },
        Case("a silent kernel", "clock.correction", .note) { facts, _ in facts.isClockCorrected = nil },
    ]

    @Test("one fault is one note or problem", arguments: cases)
    func judges(_ example: Case) {
        let bad = example.facts.findings(example.needs).filter { $0.level != .ok }
        #expect(bad.map(\.subject) == [example.subject])
        #expect(bad.map(\.level) == [example.level])
    }

    @Test("a good machine has no note")
    func judgesGoodMachines() {
        let good = Case("good", "", .ok) { _, _ in }
        #expect(good.facts.findings(good.needs).allSatisfy { $0.level == .ok })
    }

    @Test("the facts of this machine are read")
    func reads() {
        let facts = MachineFacts.read()
        #expect(facts.openFiles > 0 && facts.memory > 0 && !facts.kernel.isEmpty)
        #expect(facts.memoryLimit ?? 1 > 0)
    }
}

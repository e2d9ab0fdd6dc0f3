import SQLiteStore
import Testing

@testable import Doctor

@Suite("Judgements of settings and databases")
struct ExaminationTests {
    @Test("valid settings are one line, and each warning is a note")
    func judgesSettings() {
        #expect(Examination.settings(warnings: []).map(\.level) == [.ok])
        #expect(Examination.settings(warnings: ["a", "b"]).map(\.text) == ["a", "b"])
        #expect(Examination.settings(warnings: ["a"]).map(\.level) == [.note])
    }

    @Test(
        "a database is of this version, older, newer or unreadable",
        arguments: [(.current, .ok), (.older, .note), (.newer, .problem), (.unreadable("why"), .problem)]
            as [(SchemaState, Finding.Level)]
    )
    func judgesDatabases(state: SchemaState, level: Finding.Level) {
        #expect(Examination.schemas([("app", state)]).map(\.level) == [level])
        #expect(Examination.schemas([("app", .missing)]).isEmpty)
    }
}

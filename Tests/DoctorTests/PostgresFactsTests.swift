import PostgresStore
import Testing

@testable import Doctor

@Suite("What the doctor says about a PostgreSQL database")
struct PostgresFactsTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let subject: String
        let level: Finding.Level
        let facts: PostgresFacts

        init(_ name: String, _ subject: String, _ level: Finding.Level, _ facts: PostgresFacts) {
            testDescription = name
            self.subject = "database.\(subject)"
            self.level = level
            self.facts = facts
        }
    }

    static let cases = [
        Case("too old", "server", .problem, PostgresFacts(version: 130_014)),
        Case("another encoding", "server", .problem, PostgresFacts(encoding: "LATIN1")),
        Case("a replica", "server", .problem, PostgresFacts(isReplica: true)),
        Case("in the clear", "server", .note, PostgresFacts(isEncrypted: false)),
        Case("a user who cannot create schemas", "rights", .problem, PostgresFacts(canCreateSchemas: false)),
        Case("no syncs", "durability", .problem, PostgresFacts(settings: ["fsync": "off", "data_checksums": "on"])),
        Case("torn pages", "durability", .problem, PostgresFacts(settings: ["full_page_writes": "off"])),
        Case("no checksums", "checksums", .note, PostgresFacts(settings: ["data_checksums": "off"])),
        Case("few connections", "connections", .problem, PostgresFacts(connections: 11)),
        Case("far away", "latency", .note, PostgresFacts(roundTrip: .milliseconds(5))),
    ]

    @Test("One fault changes the level of its subject", arguments: cases)
    func fault(_ one: Case) throws {
        let finding = try #require(one.facts.findings(connectionsNeeded: 12).first { $0.subject == one.subject })
        #expect(finding.level == one.level, "\(finding.text)")
    }

    @Test("A database as it should be has no note")
    func whole() {
        let findings = PostgresFacts(connections: 12).findings(connectionsNeeded: 12)
        #expect(findings.allSatisfy { $0.level == .ok }, "\(findings)")
        #expect(findings.count == 6)
    }
}

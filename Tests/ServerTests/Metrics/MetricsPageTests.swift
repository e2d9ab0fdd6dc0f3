import Domain
import Testing

@testable import Server

/// Metrics of the page that need no server.
@Suite struct MetricsPageTests {
    private func lines(_ readiness: Readiness) -> [String] {
        ReadinessFamilies(readiness: readiness).all.flatMap { $0.text.split(separator: "\n") }
            .filter { !$0.hasPrefix("#") }.map(String.init)
    }

    @Test("a ready server has 0 for each reason")
    func ready() {
        let readiness = Readiness()
        for check in Readiness.Check.allCases { readiness.record(check, []) }
        let reasons = Readiness.Obstacle.allCases.map { "lcfile_not_ready{reason=\"\($0.rawValue)\"} 0" }
        #expect(lines(readiness) == ["lcfile_ready 1"] + reasons)
    }

    @Test("a server that is not ready has 1 for each of its reasons, and all others")
    func notReady() {
        let readiness = Readiness()
        for check in Readiness.Check.allCases { readiness.record(check, []) }
        readiness.record(.storage, [.storageFull, .spaceLow])
        readiness.stop()
        let lines = lines(readiness)
        #expect(lines.first == "lcfile_ready 0")
        #expect(lines.count == 1 + Readiness.Obstacle.allCases.count)
        let current = lines.dropFirst().filter { $0.hasSuffix(" 1") }
        #expect(
            current == ["stopping", "storage-full", "space-low"].map { "lcfile_not_ready{reason=\"\($0)\"} 1" }
        )
    }

    @Test("the build has a version and a commit", arguments: [("abc1234", "abc1234"), (nil, "unknown")])
    func build(commit: String?, label: String) {
        let line = MetricsPage.build(commit).text.split(separator: "\n").last
        #expect(line == "lcfile_build_info{version=\"\(ProgramVersion.number)\",commit=\"\(label)\"} 1")
    }
}

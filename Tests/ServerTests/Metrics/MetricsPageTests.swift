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
        let id = "lcfile_server_info{id=\"\(readiness.serverID)\"} 1"
        #expect(lines(readiness) == ["lcfile_ready 1"] + reasons + [id])
    }

    @Test("a server that is not ready has 1 for each of its reasons, and all others")
    func notReady() {
        let readiness = Readiness()
        for check in Readiness.Check.allCases { readiness.record(check, []) }
        readiness.record(.storage, [.storageFull, .spaceLow])
        readiness.stop()
        let lines = lines(readiness)
        #expect(lines.first == "lcfile_ready 0")
        #expect(lines.count == 2 + Readiness.Obstacle.allCases.count)
        let current = lines.filter { $0.hasPrefix("lcfile_not_ready") && $0.hasSuffix(" 1") }
        #expect(
            current == ["stopping", "storage-full", "space-low"].map { "lcfile_not_ready{reason=\"\($0)\"} 1" }
        )
    }

    @Test("each start of a server has an id of its own, of 16 hexadecimal digits")
    func serverID() {
        let ids = (0..<100).map { _ in Readiness().serverID }
        #expect(Set(ids).count == 100)
        #expect(ids.allSatisfy { $0.count == 16 && $0.allSatisfy { "0123456789abcdef".contains($0) } })
    }

    @Test("the build has a version and a commit", arguments: [("abc1234", "abc1234"), (nil, "unknown")])
    func build(commit: String?, label: String) {
        let line = MetricsPage.build(commit).text.split(separator: "\n").last
        #expect(line == "lcfile_build_info{version=\"\(ProgramVersion.number)\",commit=\"\(label)\"} 1")
    }
}

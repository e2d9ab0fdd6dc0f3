import Support
import Testing

@testable import Doctor

@Suite("Judgements of the way of a file")
struct TransferTests {
    /// A way with one fault, and what is said of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let subject: String
        let level: Finding.Level
        var probe = TransferProbe(url: "https://files.example.com")

        init(_ name: String, _ subject: String, _ level: Finding.Level, _ change: (inout TransferProbe) -> Void) {
            testDescription = name
            self.subject = subject
            self.level = level
            probe.isBuffered = false
            probe.client = .init(address: "203.0.113.5", connection: "127.0.0.1", isTrustedProxy: true)
            change(&probe)
        }
    }

    static let cases = [
        Case("a refused upload", "url.upload", .problem) { $0.failure = "the answer is 401" },
        Case("a file that is left", "url.upload", .problem) { $0.left = "64f0c0ffee00000000000001" },
        Case("a cache without ranges", "url.downloads", .problem) { $0.downloadFaults = ["a range gets 200"] },
        Case("a proxy that collects uploads", "url.buffering", .note) { $0.isBuffered = true },
        Case("a forged address that is believed", "url.clients", .problem) { probe in
            probe.client?.address = TransferProbe.forgedAddress
        },
        Case("another proxy than that of the settings", "url.clients", .problem) { $0.client?.isTrustedProxy = false },
        Case("a proxy that names no client", "url.clients", .note) { $0.client?.address = "127.0.0.1" },
        Case("a proxy that hides its clients", "url.clients", .note) { $0.client?.address = "0.0.0.0" },
    ]

    @Test("one fault is one note or problem", arguments: cases)
    func judges(_ example: Case) {
        let findings = example.probe.findings(proxy: "nginx", trustsProxies: true)
        let bad = findings.filter { $0.level != .ok }
        #expect(bad.map(\.subject) == [example.subject])
        #expect(bad.map(\.level) == [example.level])
    }

    @Test("what is as it should be, or is not known, is no note")
    func judgesGoodWays() {
        let good = Case("good", "", .ok) { _ in }.probe
        #expect(good.findings(proxy: "nginx", trustsProxies: true).map(\.level) == [.ok, .ok, .ok, .ok])
        let direct = Case("direct", "", .ok) { $0.client?.isTrustedProxy = false }.probe
        #expect(direct.findings(proxy: nil, trustsProxies: true).map(\.level) == [.ok, .ok, .ok, .ok])
        let unknown = Case("unknown", "", .ok) { ($0.isBuffered, $0.client) = (nil, nil) }.probe
        #expect(unknown.findings(proxy: nil, trustsProxies: false).map(\.subject) == ["url.upload", "url.downloads"])
    }

    @Test("a URL without an answer is a failure without the key")
    func unreachable() {
        let probe = TransferProbe(through: "http://127.0.0.1:1", app: "app", masterKey: "secret-master-key")
        #expect(probe.failure != nil && probe.isBuffered == nil && probe.client == nil)
        let findings = probe.findings(proxy: nil, trustsProxies: false)
        #expect(findings.map(\.subject) == ["url.upload"])
        #expect(findings.allSatisfy { !$0.text.contains("secret-master-key") })
    }
}

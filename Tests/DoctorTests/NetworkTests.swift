import Support
import Testing

@testable import Doctor

@Suite("Judgements of the network")
struct NetworkTests {
    /// A server's answers with one fault, and what is said of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let subject: String
        let level: Finding.Level
        var probe = ServerProbe(url: "https://files.example.com")

        init(_ name: String, _ subject: String, _ level: Finding.Level, _ change: (inout ServerProbe) -> Void) {
            testDescription = name
            self.subject = subject
            self.level = level
            (probe.status, probe.body, probe.upgradeStatus, probe.largeStatus) = (200, #"{"status":"ok"}"#, 101, 401)
            (probe.clockDifference, probe.certificateDays) = (0, 80)
            change(&probe)
        }
    }

    static let cases = [
        Case("no answer", "url.reachable", .problem) { $0.failure = "Connection refused" },
        Case("a redirect", "url.reachable", .problem) { $0.status = 301 },
        Case("another server", "url.reachable", .problem) { $0.body = "<html>" },
        Case("a fault of the storage", "url.reachable", .problem) {
            ($0.status, $0.body) = (503, #"{"status":"full"}"#)
        },
        Case("a proxy that is not trusted", "url.proxy", .note) { $0.headers["server"] = "nginx" },
        Case("a clock some seconds off", "clock.difference", .note) { $0.clockDifference = -10 },
        Case("a clock an hour off", "clock.difference", .problem) { $0.clockDifference = 3600 },
        Case("a certificate of two weeks", "url.certificate", .note) { $0.certificateDays = 14 },
        Case("a certificate that ended", "url.certificate", .problem) { $0.certificateDays = -1 },
        Case("a proxy that compresses", "url.compression", .note) { $0.encoding = "gzip" },
        Case("a proxy without WebSockets", "url.webSockets", .problem) { $0.upgradeStatus = 426 },
        Case("a proxy with a limit of bodies", "url.bodySize", .problem) { $0.largeStatus = 413 },
    ]

    @Test("one fault is one note or problem", arguments: cases)
    func judges(_ example: Case) {
        let findings = example.probe.findings(trustsProxies: false, hasLiveQueries: true)
        let bad = findings.filter { $0.level != .ok }
        #expect(bad.map(\.subject) == [example.subject])
        #expect(bad.map(\.level) == [example.level])
    }

    @Test("what is as it should be, or could not be tried, is no note")
    func judgesGoodAnswers() {
        let good = Case("good", "", .ok) { $0.headers["server"] = "nginx" }.probe
        #expect(good.findings(trustsProxies: true, hasLiveQueries: true).allSatisfy { $0.level == .ok })
        let untried = Case("untried", "", .ok) { probe in
            (probe.upgradeStatus, probe.largeStatus) = (0, 0)
            (probe.certificateDays, probe.clockDifference) = (nil, nil)
        }
        #expect(untried.probe.findings(trustsProxies: true, hasLiveQueries: true).map(\.level) == [.ok])
    }

    @Test("a name resolves or is a problem")
    func judgesNames() {
        var here = NameFacts("files.example.com")
        (here.addresses, here.isHere) = (["192.0.2.1"], true)
        #expect(here.finding.level == .ok && here.finding.text.contains("this machine"))
        var unknown = NameFacts("nowhere.example.com")
        unknown.failure = "Name or service not known"
        #expect(unknown.finding.level == .problem && unknown.finding.text.contains("nowhere.example.com"))
        let own = NameFacts(resolving: "127.0.0.1")
        #expect(own.isHere && own.failure == nil)
    }

    @Test("a service takes connections or is a problem; the path of its URL is not shown")
    func judgesServices() throws {
        let server = try ScriptedServer { _, _ in ScriptedReply() }
        defer { server.close() }
        var service = try #require(ServiceFacts("the SMS gateway", setting: "sms.webhook", url: "\(server.url)/secret"))
        service.connect()
        #expect(service.finding.level == .ok && !service.finding.text.contains("secret"))
        var closed = ServiceFacts("the mail server", setting: "mail.server", host: "127.0.0.1", port: 1)
        closed.connect()
        #expect(closed.finding.level == .problem && closed.finding.text.contains("mail.server"))
    }

    @Test(
        "URLs have a host and a port",
        arguments: [
            ("https://a.example/x", "https", "a.example", nil), ("smtp://mail:587", "smtp", "mail", 587),
            ("http://user:key@host:8080?x", "http", "host", 8080), ("http://[::1]:9000/", "http", "::1", 9000),
            ("https://host", "https", "host", nil),
        ] as [(String, String, String, Int?)]
    )
    func readsAddresses(url: String, scheme: String, host: String, port: Int?) {
        let parts = AddressParts(url)
        #expect(parts?.scheme == scheme && parts?.host == host && parts?.port == port)
    }

    @Test("other strings have no host", arguments: ["", "host", "http:/host", "http://", "/path//x"])
    func refusesOthers(_ url: String) {
        #expect(AddressParts(url) == nil)
    }

    @Test("times of heads and certificates are read")
    func readsTimes() {
        #expect(ProbeTime.seconds(ofHTTP: "Fri, 02 Jan 2026 03:04:05 GMT") == 1_767_323_045)
        #expect(ProbeTime.seconds(ofCertificate: "Jan  2 03:04:05 2026 GMT") == 1_767_323_045)
        #expect(ProbeTime.seconds(ofCertificate: "2026-01-02 03:04:05 GMT") == 1_767_323_045)
        #expect(ProbeTime.seconds(ofCertificate: "soon") == nil)
    }
}

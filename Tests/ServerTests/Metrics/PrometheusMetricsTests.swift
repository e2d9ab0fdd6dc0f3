import CoreMetrics
import Domain
import Testing

@testable import Server

@Suite struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics()

    private func text(of name: String) -> String {
        metrics.families.first { $0.name == name }?.text ?? ""
    }

    @Test("increments of one series add up")
    func counter() {
        metrics.makeCounter(label: "lcfile_errors_total", dimensions: [("code", "conflict")]).increment(by: 2)
        metrics.makeCounter(label: "lcfile_errors_total", dimensions: [("code", "conflict")]).increment(by: 1)
        #expect(text(of: "lcfile_errors_total").hasSuffix("\nlcfile_errors_total{code=\"conflict\"} 3\n"))
    }

    @Test("a gauge has its last value")
    func gauge() {
        let gauge = metrics.makeRecorder(label: "lcfile_storage_free_bytes", dimensions: [], aggregate: false)
        gauge.record(Int64(7))
        gauge.record(Int64(5))
        #expect(text(of: "lcfile_storage_free_bytes").hasSuffix("\nlcfile_storage_free_bytes 5\n"))
    }

    @Test("parallel increments are all counted")
    func parallel() async {
        let counter = metrics.makeCounter(label: "lcfile_failed_reads_total", dimensions: [])
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { for _ in 0..<1000 { counter.increment(by: 1) } } }
        }
        #expect(text(of: "lcfile_failed_reads_total").hasSuffix("\nlcfile_failed_reads_total 8000\n"))
    }

    @Test("a series with known labels is 0 before its first event")
    func initial() {
        #expect(text(of: "lcfile_logins_total").contains("lcfile_logins_total{result=\"locked_out\"} 0\n"))
    }

    @Test(
        "limits of clients have series before the first refusal",
        arguments: ["requests", "userRequests", "appRequests", "uploads", "logIns", "fetches", "imageWork"]
    )
    func clientLimits(name: String) {
        #expect(text(of: "lcfile_limits_hit_total").contains("\nlcfile_limits_hit_total{limit=\"limits.\(name)\"} 0\n"))
    }

    @Test(
        "queues of fetches and failed log-ins at the console have series before the first refusal",
        arguments: ["fetch.maxQueued", "fetch.maxQueuedGuests", "mirror.maxQueued", "console.maxFailures"]
    )
    func otherLimits(name: String) {
        #expect(text(of: "lcfile_limits_hit_total").contains("\nlcfile_limits_hit_total{limit=\"\(name)\"} 0\n"))
    }

    @Test("what is not in the catalog makes no series", arguments: ["hb.requests", "lcfile_storage_free_bytes"])
    func unknown(name: String) {
        metrics.makeCounter(label: name, dimensions: [("path", "/a")]).increment(by: 1)
        #expect(!metrics.families.map(\.text).joined().contains("/a"))
    }
}

@Suite struct MetricFamilyTests {
    @Test("names, types and descriptions precede the values")
    func header() {
        let family = MetricFamily(.gauge, "lcfile_a", "What a is.", 1)
        #expect(family.text == "# HELP lcfile_a What a is.\n# TYPE lcfile_a gauge\nlcfile_a 1\n")
    }

    @Test("characters with a meaning in the format are escaped")
    func escapes() {
        let family = MetricFamily(.gauge, "a", "x\\y\nz\"", by: "b", [("c\"d\\e\nf", 1)])
        #expect(family.text == "# HELP a x\\\\y\\nz\"\n# TYPE a gauge\na{b=\"c\\\"d\\\\e\\nf\"} 1\n")
    }

    @Test("a quotation mark is escaped also before a combining mark, with which it is one character")
    func combiningMarks() {
        let family = MetricFamily(.gauge, "a", "A\\\u{301}", by: "b", [("c\"\u{301}d", 1)])
        #expect(
            family.text.unicodeScalars.elementsEqual(
                "# HELP a A\\\\\u{301}\n# TYPE a gauge\na{b=\"c\\\"\u{301}d\"} 1\n".unicodeScalars
            )
        )
    }

    @Test("buckets of a histogram are cumulative, and its count is the last of them")
    func histogram() {
        let durations = DurationHistogram(.accesses)
        durations.record(.microseconds(100))
        durations.record(.microseconds(101))
        durations.record(.seconds(11))
        let lines = MetricFamily(histogram: "a", "A.", durations.snapshot).text.split(separator: "\n").dropFirst(2)
        #expect(lines.first == "a_bucket{le=\"0.0001\"} 1")
        #expect(lines.dropFirst().first == "a_bucket{le=\"0.00025\"} 2")
        #expect(lines.suffix(3) == ["a_bucket{le=\"+Inf\"} 3", "a_sum 11.000201", "a_count 3"])
    }

    @Test("numbers are those of Prometheus", arguments: [(2.0, "2"), (0.5, "0.5"), (-3, "-3"), (1e20, "1e+20")])
    func numbers(value: Double, text: String) {
        let family = MetricFamily(name: "a", kind: .gauge, help: "A.", samples: [.init(labels: [], value: value)])
        #expect(family.text.hasSuffix("\na \(text)\n"))
    }
}

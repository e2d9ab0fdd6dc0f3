/// A metric with all of its series, as Prometheus' text format has it (version 0.0.4).
struct MetricFamily: Sendable {
    /// The type of a metric.
    enum Kind: String, Sendable {
        case counter
        case gauge
        case histogram
    }

    /// One line: a value with its labels.
    struct Sample: Sendable {
        /// Behind the name: `_bucket`, `_sum` or `_count` of a histogram.
        var suffix = ""
        var labels: [(name: String, value: String)]
        var value: Double
    }

    let name: String
    let kind: Kind
    /// What the metric measures, with its unit, in one sentence.
    let help: String
    var samples: [Sample] = []

    /// The lines of the metric.
    var text: String {
        var text = "# HELP \(name) \(MetricFamily.escaped(help, quote: false))\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += line(sample) }
        return text
    }

    private func line(_ sample: Sample) -> String {
        let labels = sample.labels.map { "\($0.name)=\"\(MetricFamily.escaped($0.value, quote: true))\"" }
            .joined(separator: ",")
        return "\(name)\(sample.suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(MetricFamily.text(of: sample.value))\n"
    }

    private static func text(of value: Double) -> String {
        Int(exactly: value).map { "\($0)" } ?? "\(value)"
    }

    /// Compares scalars, because a quotation mark and a combining mark behind it are one `Character`.
    private static func escaped(_ text: String, quote: Bool) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped.append(contentsOf: "\\\\".unicodeScalars)
            case "\n": escaped.append(contentsOf: "\\n".unicodeScalars)
            case "\"" where quote: escaped.append(contentsOf: "\\\"".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}

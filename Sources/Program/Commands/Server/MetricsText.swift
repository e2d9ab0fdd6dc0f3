/// The samples of a page of metrics in Prometheus' text format.
struct MetricsText {
    /// One line: a series and its value.
    struct Sample: Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    let samples: [Sample]

    /// Reads the lines that are samples; others, such as comments, are skipped.
    init(_ text: String) {
        samples = text.split(separator: "\n").compactMap { MetricsText.sample(in: $0) }
    }

    private static func sample(in line: Substring) -> Sample? {
        guard line.first != "#" else { return nil }
        let name = line.prefix { $0 != "{" && $0 != " " }
        var rest = line.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest.removeFirst()
            while let label = label(in: &rest) { labels[label.name] = label.value }
            guard rest.first == "}" else { return nil }
            rest.removeFirst()
        }
        // A time can follow the value.
        guard let number = rest.split(separator: " ").first, let value = Double(number), !name.isEmpty else {
            return nil
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    /// Takes `name="value"` and a comma behind it from the beginning; `nil` if there is none.
    private static func label(in rest: inout Substring) -> (name: String, value: String)? {
        let name = rest.prefix { $0 != "=" && $0 != "}" }
        guard !name.isEmpty, rest.dropFirst(name.count).hasPrefix("=\"") else { return nil }
        rest = rest.dropFirst(name.count + 2)
        var value = ""
        while let character = rest.popFirst(), character != "\"" {
            guard character == "\\", let escaped = rest.popFirst() else {
                value.append(character)
                continue
            }
            value.append(escaped == "n" ? "\n" : escaped)
        }
        if rest.first == "," { rest.removeFirst() }
        return (String(name), value)
    }
}

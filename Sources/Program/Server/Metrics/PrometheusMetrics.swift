internal import CoreMetrics
internal import Synchronization

/// Stores the process's metrics and writes them in Prometheus' text format, version 0.0.4.
///
/// Thread-safe. Labels are routes, methods and statuses of the server, so their number is bounded.
final class PrometheusMetrics: MetricsFactory {
    private let series = Mutex<[SeriesID: Series]>([:])

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions, .counter)
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        find(label, dimensions, .counter)
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions, .gauge)
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        find(label, dimensions, aggregate ? .summary : .gauge)
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        find(label + "_seconds", dimensions, .histogram)
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics, grouped by name.
    func text() -> String {
        let all = series.withLock { Array($0.values) }
        var text = ""
        for (name, members) in Dictionary(grouping: all, by: \.id.name).sorted(by: { $0.key < $1.key }) {
            guard let kind = members.first?.kind else { continue }
            text += "# TYPE \(name) \(kind)\n"
            text += members.map { $0.text() }.sorted().joined()
        }
        return text
    }

    private func find(_ label: String, _ dimensions: [(String, String)], _ kind: Series.Kind) -> Series {
        let id = SeriesID(label: label, dimensions: dimensions)
        return series.withLock { series in
            if let known = series[id] { return known }
            let new = Series(id: id, kind: kind)
            series[id] = new
            return new
        }
    }
}

/// A name and its labels, both already in Prometheus' character set.
struct SeriesID: Hashable {
    let name: String
    let labels: String

    init(label: String, dimensions: [(String, String)]) {
        name = SeriesID.cleaned(label)
        labels = dimensions.map { "\(SeriesID.cleaned($0))=\"\(SeriesID.escaped($1))\"" }.joined(separator: ",")
    }

    private static func cleaned(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

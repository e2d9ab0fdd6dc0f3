internal import CoreMetrics
internal import Synchronization

/// Stores the counters and gauges that the parts of the server make by name; thread-safe.
///
/// Only metrics of ``MetricCatalog`` are stored: a metric of a library would have no description, and could have labels
/// that clients choose. Histograms and the counts of often used parts are not made here, but read from these parts
/// (``MetricsPage``).
final class PrometheusMetrics: MetricsFactory {
    private typealias Metric = MetricCatalog.Metric

    /// The series by the name of their metric and the values of their labels.
    private let series: Mutex<[String: [[String]: Series]]>

    init() {
        var series: [String: [[String]: Series]] = [:]
        for metric in MetricCatalog.all {
            series[metric.name] = [:]
            for labels in metric.initial {
                series[metric.name]?[labels.map(\.value)] = Series(labels: labels)
            }
        }
        self.series = Mutex(series)
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        find(label, dimensions, .counter) ?? NOOPMetricsHandler.instance
    }

    func makeFloatingPointCounter(label: String, dimensions: [(String, String)]) -> any FloatingPointCounterHandler {
        find(label, dimensions, .counter) ?? NOOPMetricsHandler.instance
    }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        find(label, dimensions, .gauge) ?? NOOPMetricsHandler.instance
    }

    func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard !aggregate else { return NOOPMetricsHandler.instance }
        return find(label, dimensions, .gauge) ?? NOOPMetricsHandler.instance
    }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        NOOPMetricsHandler.instance
    }

    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// All metrics of the catalog, also those without series.
    var families: [MetricFamily] {
        let series = series.withLock { $0 }
        return MetricCatalog.all.map { metric in
            let members = series[metric.name, default: [:]].sorted { $0.key.lexicographicallyPrecedes($1.key) }
            return MetricFamily(
                name: metric.name,
                kind: metric.kind,
                help: metric.help,
                samples: members.map { .init(labels: $0.value.labels, value: $0.value.value) }
            )
        }
    }

    private func find(_ name: String, _ labels: [(String, String)], _ kind: MetricFamily.Kind) -> Series? {
        guard MetricCatalog.byName[name]?.kind == kind else { return nil }
        let values = labels.map(\.1)
        return series.withLock { series in
            if let known = series[name]?[values] { return known }
            let new = Series(labels: labels.map { ($0.0, $0.1) })
            series[name]?[values] = new
            return new
        }
    }
}

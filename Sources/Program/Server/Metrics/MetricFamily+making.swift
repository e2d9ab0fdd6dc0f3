internal import Domain

extension MetricFamily {
    /// A counter or gauge without labels.
    init(_ kind: Kind, _ name: String, _ help: String, _ value: some BinaryInteger) {
        self.init(name: name, kind: kind, help: help, samples: [Sample(labels: [], value: Double(value))])
    }

    /// A counter or gauge with one label.
    init(
        _ kind: Kind,
        _ name: String,
        _ help: String,
        by label: String,
        _ values: [(value: String, count: some BinaryInteger)]
    ) {
        let samples = values.map { Sample(labels: [(label, $0.value)], value: Double($0.count)) }
        self.init(name: name, kind: kind, help: help, samples: samples)
    }

    /// A histogram with one label.
    init(
        histogram name: String,
        _ help: String,
        by label: String,
        _ values: [(value: String, durations: DurationHistogram.Snapshot)]
    ) {
        let samples = values.flatMap { MetricFamily.samples(of: $0.durations, [(label, $0.value)]) }
        self.init(name: name, kind: .histogram, help: help, samples: samples)
    }

    /// A histogram without labels.
    init(histogram name: String, _ help: String, _ durations: DurationHistogram.Snapshot) {
        self.init(name: name, kind: .histogram, help: help, samples: MetricFamily.samples(of: durations, []))
    }

    private static func samples(
        of durations: DurationHistogram.Snapshot,
        _ labels: [(name: String, value: String)]
    ) -> [Sample] {
        var samples: [Sample] = []
        var total = 0
        for (index, count) in durations.counts.enumerated() {
            total += count
            let bound = index < durations.bounds.count ? "\(durations.bounds[index])" : "+Inf"
            samples.append(Sample(suffix: "_bucket", labels: labels + [("le", bound)], value: Double(total)))
        }
        samples.append(Sample(suffix: "_sum", labels: labels, value: durations.sum))
        samples.append(Sample(suffix: "_count", labels: labels, value: Double(total)))
        return samples
    }
}

internal import Domain
internal import HTTPAPI

extension MetricsPage {
    /// The metrics of one app, by their names without `lcfile_`; the value of a second label follows after a dot.
    func figures(of app: AppID) -> [String: Double] {
        var figures: [String: Double] = [:]
        for family in named.families {
            for sample in family.samples where sample.labels.contains(where: { $0 == ("app", app.description) }) {
                let rest = sample.labels.filter { $0.name != "app" }.map { ".\($0.value)" }.joined()
                figures[MetricsPage.short(family.name) + rest] = sample.value
            }
        }
        return figures
    }

    /// The metrics without labels of what is not of one app.
    var machineFigures: [String: Double] {
        var figures: [String: Double] = [:]
        for family in named.families + resources.all + ProcessFamilies.all where family.kind != .histogram {
            guard let sample = family.samples.first, family.samples.count == 1, sample.labels.isEmpty else { continue }
            figures[MetricsPage.short(family.name)] = sample.value
        }
        return figures
    }

    /// The queues of requests.
    var queues: [(name: String, status: QueueStatus)] { resources.named }

    /// The figures for the history.
    var historyFigures: ServerFigures {
        let groups = RequestGroup.allCases.filter(\.isTimed)
        var durations = requests.durations(of: groups.first ?? .files)
        for group in groups.dropFirst() { durations.add(requests.durations(of: group)) }
        var figures = ServerFigures(durations: durations)
        for count in requests.counts {
            figures.requests += count.value
            switch count.status {
            case .some(400..<500): figures.refused += count.value
            case .some(500...), nil: figures.failed += count.value
            default: break
            }
        }
        for group in RequestGroup.allCases {
            let bytes = requests.bytes(of: group)
            figures.received += bytes.received
            figures.sent += bytes.sent
        }
        let machine = machineFigures
        figures.processorTime = machine["process_cpu_seconds_total"]
        figures.memory = machine["process_resident_memory_bytes"]
        figures.connections = machine["http_connections"]
        figures.freeSpace = machine["storage_free_bytes"]
        figures.waiting = Double(queues.reduce(0) { $0 + $1.status.waiting })
        return figures
    }

    private static func short(_ name: String) -> String {
        name.hasPrefix("lcfile_") ? String(name.dropFirst("lcfile_".count)) : name
    }
}

extension RequestGroup {
    /// Whether the durations of the group tell how fast the server is: not those of requests that wait for events, and
    /// not those of the console itself.
    fileprivate var isTimed: Bool {
        switch self {
        case .files, .images, .uploads, .objects, .users, .censorship: true
        case .live, .administration, .health, .console, .other, .malformed: false
        }
    }
}

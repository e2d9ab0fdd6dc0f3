internal import Storage

/// A snapshot or a generation as `lcfile backup --list` shows it.
struct RepositoryRow: Encodable {
    private let kind: String
    private let app: String
    private let time: String
    private let until: String?
    private let files: Int
    private let bytes: Int64
    private let damaged: Int
    private let damagedRows: Int?
    private let segments: Int?
    private let segmentBytes: Int64?
    private let gap: Bool?
    private let version: String

    init(_ snapshot: SnapshotFacts) {
        kind = "snapshot"
        app = snapshot.app
        time = snapshot.time
        until = nil
        files = snapshot.files
        bytes = snapshot.bytes
        damaged = snapshot.damaged
        damagedRows = snapshot.damagedRows
        segments = nil
        segmentBytes = nil
        gap = nil
        version = snapshot.version
    }

    init(_ generation: GenerationFacts) {
        kind = "generation"
        app = generation.app
        time = generation.time
        until = generation.until
        files = generation.files
        bytes = generation.bytes
        damaged = generation.damaged
        damagedRows = nil
        segments = generation.segments
        segmentBytes = generation.segmentBytes
        gap = generation.hasGap
        version = generation.version
    }

    static let head = ["KIND", "APP", "TIME", "UNTIL", "FILES", "SIZE", "DAMAGED", "SEGMENTS", "SEGMENT SIZE"]

    var cells: [String] {
        let end = until.map { gap == true ? "\($0), gap" : $0 }
        return [kind, app, time, end ?? "-", "\(files)", Amount.bytes(bytes), "\(damaged + (damagedRows ?? 0))"]
            + [segments.map(String.init) ?? "-", segmentBytes.map(Amount.bytes) ?? "-"]
    }
}

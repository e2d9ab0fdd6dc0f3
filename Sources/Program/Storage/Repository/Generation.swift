internal import Domain

/// A whole generation of the continuous backup of an app: a base, and the segments after it.
struct Generation {
    /// The names in the repository.
    let layout: BackupLayout
    /// The moment of the base.
    let time: GenerationTime
    /// The description of the base.
    let manifest: BackupManifest

    /// "generation app 20270112T030000.123Z".
    var description: String { "generation \(layout.app) \(time)" }

    /// The name of an object that belongs to the generation.
    func object(_ part: GenerationPart) -> String { layout.object(part, ofGeneration: time) }
    /// The name of a segment's object.
    func object(_ segment: SegmentName) -> String { layout.object(segment, ofGeneration: time) }
}

/// The segments of a generation that follow each other from number 1, up to a moment.
struct GenerationSpan: Equatable {
    /// The last segment; `nil` for the base alone.
    var last: SegmentName?
    /// The size of the segments in bytes.
    var bytes: Int64 = 0
    /// The number that is missing although there are later segments; `nil` if there is no gap.
    var gap: Int?

    /// The number of segments.
    var count: Int { last?.number ?? 0 }

    /// The moment of the last state that can be restored.
    func end(of generation: Generation) -> Timestamp {
        max(last?.time ?? generation.time.timestamp, generation.time.timestamp)
    }
}

/// A segment as the repository lists it.
struct ListedSegment {
    /// The number and the time.
    let name: SegmentName
    /// The size in bytes.
    let size: Int64
    /// Whether there is a list of new blobs for it.
    let hasBlobs: Bool
}

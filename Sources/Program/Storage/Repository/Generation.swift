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

    /// The list of the blobs that a segment adds; `nil` if it adds none.
    ///
    /// - Parameters:
    ///   - segment: The segment.
    ///   - isListed: Whether the repository has a list for it, which alone tells it of a segment of an earlier version.
    /// - Returns: The list, which the repository can lack.
    func list(of segment: SegmentName, isListed: Bool) -> SegmentList? {
        let object = layout.blobs(of: segment, ofGeneration: time)
        guard let digest = segment.list else { return isListed ? SegmentList(object: object, sha256: nil) : nil }
        return digest == SegmentName.noList ? nil : SegmentList(object: object, sha256: digest)
    }
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
    /// The list of new blobs; `nil` if the segment adds none.
    let list: SegmentList?
}

/// The list of the blobs that a segment adds.
struct SegmentList {
    /// The name in the repository.
    let object: String
    /// What the list must contain; `nil` if an earlier version wrote the segment.
    let sha256: String?
}

internal import Domain

/// A generation of a continuous backup as a list shows it.
package struct GenerationFacts: Sendable, Equatable {
    /// The id of the app.
    package let app: String
    /// The moment of its base, from which on all moments can be restored, in ISO 8601 with milliseconds.
    package let time: String
    /// The moment of the last commit before the end, or before a gap.
    package let until: String
    /// The number of segments.
    package let segments: Int
    /// The size of the segments in bytes.
    package let segmentBytes: Int64
    /// Whether a segment after these is missing.
    package let hasGap: Bool
    /// The number of files in the base.
    package let files: Int
    /// The size of those files in bytes.
    package let bytes: Int64
    /// The number of damaged files that were left out.
    package let damaged: Int
    /// The version of lcfile that made the base.
    package let version: String

    init(_ generation: Generation, _ span: GenerationSpan) {
        app = generation.layout.app.description
        time = generation.time.timestamp.iso8601
        until = span.end(of: generation).iso8601
        segments = span.count
        segmentBytes = span.bytes
        hasGap = span.gap != nil
        files = generation.manifest.fileCount
        bytes = generation.manifest.byteCount
        damaged = generation.manifest.damaged
        version = generation.manifest.version
    }
}

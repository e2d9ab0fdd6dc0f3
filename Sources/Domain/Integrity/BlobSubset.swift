/// A part of an app's blobs: `7/30` is the seventh of thirty parts, chosen by the blobs' names.
///
/// A blob always belongs to the same part, so thirty runs read every blob once, also with uploads between.
package struct BlobSubset: Sendable, Hashable, CustomStringConvertible {
    private let part: UInt32
    private let count: UInt32

    /// The maximum number of parts.
    package static let maxCount: UInt32 = 10_000

    /// All blobs.
    package static let all = BlobSubset(part: 1, count: 1)

    private init(part: UInt32, count: UInt32) {
        self.part = part
        self.count = count
    }

    /// Parses `N/M` with N from 1 to M, and M up to ``maxCount``; `nil` for other strings.
    package init?(_ text: String) {
        let numbers = text.split(separator: "/", omittingEmptySubsequences: false).map { UInt32($0) }
        guard numbers.count == 2, let part = numbers[0], let count = numbers[1], part >= 1, part <= count,
            count <= BlobSubset.maxCount
        else { return nil }
        self.init(part: part, count: count)
    }

    /// The number of parts.
    package var parts: Int { Int(count) }

    /// Whether a blob belongs to the part.
    package func contains(_ blob: BlobName) -> Bool {
        // The digits of a digest are evenly distributed.
        (UInt32(blob.description.prefix(8), radix: 16) ?? 0) % count == part - 1
    }

    /// The part as it is parsed.
    package var description: String { "\(part)/\(count)" }
}

extension BackupLayout {
    /// The beginning of the names of a generation's objects.
    package func root(ofGeneration generation: GenerationTime) -> String {
        "\(log)\(generation)/"
    }

    /// The name of a part of a generation.
    package func object(_ part: GenerationPart, ofGeneration generation: GenerationTime) -> String {
        "\(root(ofGeneration: generation))\(part.rawValue)"
    }

    /// The name of a segment.
    package func object(_ segment: SegmentName, ofGeneration generation: GenerationTime) -> String {
        "\(root(ofGeneration: generation))\(segment)\(SegmentName.segmentSuffix)"
    }

    /// The name of the list of blobs that a segment needs; there is none if it needs no new blob (``SegmentName/list``).
    package func blobs(of segment: SegmentName, ofGeneration generation: GenerationTime) -> String {
        "\(root(ofGeneration: generation))\(segment)\(SegmentName.blobsSuffix)"
    }

    /// The generation of an object of the continuous backup; `nil` for other objects.
    package func generation(of name: String) -> GenerationTime? {
        guard name.hasPrefix(log) else { return nil }
        return GenerationTime(name.dropFirst(log.count).prefix { $0 != "/" })
    }

    /// Whether an object of the continuous backup is a list of blobs, as it is `files` of a snapshot.
    package func isBlobList(_ name: String) -> Bool {
        guard name.hasPrefix(log) else { return false }
        return name.hasSuffix("/\(GenerationPart.files.rawValue)") || name.hasSuffix(SegmentName.blobsSuffix)
    }
}

/// The moment of a generation's base as the name of its folder, of the form of ``SnapshotTime``.
///
/// A type of its own: a snapshot's object does not exist under the time of a generation, nor the other way round.
package struct GenerationTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    private let name: SnapshotTime

    /// Creates the name of a time.
    package init(_ timestamp: Timestamp) {
        name = SnapshotTime(timestamp)
    }

    /// Parses a name; `nil` if it is not one.
    package init?(_ name: some StringProtocol) {
        guard let name = SnapshotTime(name) else { return nil }
        self.name = name
    }

    /// The time.
    package var timestamp: Timestamp { name.timestamp }
    /// The name.
    package var description: String { name.description }

    /// Earlier is less.
    package static func < (left: GenerationTime, right: GenerationTime) -> Bool {
        left.name < right.name
    }
}

/// The objects with which a generation begins; the manifest (``BackupManifest``) is stored last and removed first.
///
/// ``BackupManifest/database`` is the base.
package enum GenerationPart: String, Sendable, CaseIterable {
    case base
    case files
    case apps = "apps.yaml"
    case manifest = "manifest.json"
}

/// The name of a segment: `0000000001-1800000000000-9f86…`, its number, the time of its last commit and the SHA-256 of its
/// list of blobs.
///
/// Names sort as their numbers. The digest is in the name because a retention has to compare each list, and a listing of
/// the target costs less than reading all segments.
package struct SegmentName: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number in the generation, from 1 without gaps.
    package let number: Int
    /// The time of the last commit.
    package let time: Timestamp
    /// The SHA-256 of the list of blobs that the segment adds, as 64 lower-case hexadecimal digits.
    ///
    /// ``noList`` if the segment adds none. `nil` until the list is stored, and in the names that earlier versions gave:
    /// those do not tell whether there is a list.
    package let list: String?

    /// The SHA-256 of no bytes.
    package static let noList = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    /// The end of the names of segments.
    package static let segmentSuffix = ".segment"
    /// The end of the names of lists of blobs.
    package static let blobsSuffix = ".blobs"

    private static let numberLength = 10
    private static let timeLength = 13
    private static let digits = Set("0123456789abcdef".utf8)

    /// Creates a name.
    ///
    /// - Parameters:
    ///   - number: 1 to 9 999 999 999.
    ///   - time: After 1970.
    ///   - list: The SHA-256 of the list of blobs.
    package init(number: Int, time: Timestamp, list: String? = nil) {
        self.number = number
        self.time = time
        self.list = list
    }

    /// The name of the same segment with the SHA-256 of its list of blobs.
    package func adding(list: String) -> SegmentName {
        SegmentName(number: number, time: time, list: list)
    }

    /// Parses the last part of an object's name, with or without its end; `nil` for other parts.
    package init?(_ name: String) {
        var text = name[(name.lastIndex(of: "/").map(name.index(after:)) ?? name.startIndex)...]
        for suffix in [SegmentName.segmentSuffix, SegmentName.blobsSuffix] where text.hasSuffix(suffix) {
            text = text.dropLast(suffix.count)
            break
        }
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count, let number = Int(parts[0]), let time = Int64(parts[1]), number > 0, time >= 0 else {
            return nil
        }
        let list = parts.count == 3 ? String(parts[2]) : nil
        if let list {
            guard list.utf8.count == SegmentName.noList.utf8.count, list.utf8.allSatisfy(SegmentName.digits.contains)
            else { return nil }
        }
        self.init(number: number, time: Timestamp(milliseconds: time), list: list)
        guard description == text else { return nil }
    }

    /// The name without an end.
    package var description: String {
        func padded(_ number: Int64, _ length: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, length - digits.count)) + digits
        }
        let number = padded(Int64(number), SegmentName.numberLength)
        let name = "\(number)-\(padded(time.milliseconds, SegmentName.timeLength))"
        return list.map { "\(name)-\($0)" } ?? name
    }

    /// Lower numbers are less.
    package static func < (left: SegmentName, right: SegmentName) -> Bool {
        (left.number, left.time, left.list ?? "") < (right.number, right.time, right.list ?? "")
    }
}

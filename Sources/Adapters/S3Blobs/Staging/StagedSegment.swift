internal import Crypto
internal import Domain

/// An object with consecutive bytes of staged bytes, or the mark of their end.
///
/// Its name says all about it, so that one list of names is all that a server needs to continue or finish an upload:
/// `<number>-<offset>-<size>-<id>-<digests>`, followed by `-<number>.<size>_…` if it was joined of several, or
/// `<number>-<offset>-end` without bytes.
struct StagedSegment: Hashable, Sendable {
    /// Where segments overlap, the bytes of the largest number are the current ones; the largest of ``runs``.
    let number: Int
    /// The offset of the first byte in the staged bytes.
    let offset: Int64
    /// The number of bytes; `nil` for a mark: segments with smaller numbers end at ``offset``.
    let size: Int64?
    /// Distinguishes segments that two servers write with the same number.
    let id: String
    /// The SHA-1 of each range from the beginning of a block of ``ContentHash`` to its end or to the end of the segment.
    let digests: [[UInt8]]
    /// The numbers of the bytes in their order: several if the segment was joined of others, and empty for a mark.
    let runs: [Run]
    /// The ETag; empty before a list showed the segment.
    var tag = ""

    /// The maximum size in bytes: the digests of more would not fit into a name.
    static let maxSize: Int64 = 64 << 20

    /// Consecutive bytes that were written with the same number.
    struct Run: Hashable, Sendable {
        let number: Int
        let size: Int64
    }

    /// The maximum number of runs, for the same reason.
    static let maxRuns = 20

    private static let digestSize = 20

    /// Creates a segment of bytes, with its digests.
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int64, runs: [Run], id: String) {
        self.runs = runs
        number = runs.map(\.number).max() ?? 0
        self.offset = offset
        self.id = id
        size = Int64(bytes.count)
        let blocks = StagedSegment.blocks(of: offset..<offset + Int64(bytes.count))
        digests = blocks.map { block in
            let range = Int(block.lowerBound - offset)..<Int(block.upperBound - offset)
            var sha1 = Insecure.SHA1()
            sha1.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[range]))
            return Array(sha1.finalize())
        }
    }

    /// Creates a mark: what segments with smaller numbers have behind an offset does not count.
    init(endAt offset: Int64, number: Int) {
        self.number = number
        self.offset = offset
        size = nil
        id = ""
        (digests, runs) = ([], [])
    }

    /// Parses a name; `nil` if it is not the name of a segment.
    init?(name: String, tag: String, objectSize: Int64) {
        let fields = name.split(separator: "-", maxSplits: 5, omittingEmptySubsequences: false)
        guard fields.count >= 3, let number = Int(fields[0], radix: 16), let offset = Int64(fields[1], radix: 16),
            number >= 0, offset >= 0
        else { return nil }
        self.number = number
        self.offset = offset
        self.tag = tag
        if fields.count == 3, fields[2] == "end" {
            (size, id, digests, runs) = (nil, "", [], [])
            return
        }
        guard fields.count >= 5, let size = Int64(fields[2], radix: 16), size == objectSize, size > 0,
            let bytes = [UInt8](hexadecimal: fields[4])
        else { return nil }
        let count = StagedSegment.blocks(of: offset..<offset + size).count
        let runs = fields.count == 5 ? [Run(number: number, size: size)] : StagedSegment.runs(fields[5])
        guard bytes.count == count * StagedSegment.digestSize, runs.reduce(0, { $0 + $1.size }) == size,
            runs.map(\.number).max() == number
        else { return nil }
        self.size = size
        self.runs = runs
        id = String(fields[3])
        digests = (0..<count).map { index in
            Array(bytes[index * StagedSegment.digestSize..<(index + 1) * StagedSegment.digestSize])
        }
    }

    /// The last part of the object's name.
    var name: String {
        let start = "\(StagedSegment.hexadecimal(Int64(number), 8))-\(StagedSegment.hexadecimal(offset, 12))"
        guard let size else { return "\(start)-end" }
        let name = "\(start)-\(StagedSegment.hexadecimal(size, 8))-\(id)-\(digests.flatMap(\.self).hexadecimal)"
        guard runs.count > 1 else { return name }
        let fields = runs.map { "\(String($0.number, radix: 16)).\(String($0.size, radix: 16))" }
        return "\(name)-\(fields.joined(separator: "_"))"
    }

    /// Parses the runs of a name; empty if they are malformed.
    private static func runs(_ text: Substring) -> [Run] {
        let runs = text.split(separator: "_", omittingEmptySubsequences: false).map { field -> Run? in
            let parts = field.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[0], radix: 16), let size = Int64(parts[1], radix: 16),
                number >= 0, (1...StagedSegment.maxSize).contains(size)
            else { return nil }
            return Run(number: number, size: size)
        }
        return runs.contains(nil) ? [] : runs.compactMap(\.self)
    }

    /// The bytes in the staged bytes; empty for a mark.
    var range: Range<Int64> { offset..<offset + (size ?? 0) }

    /// The SHA-1 of a range that begins at a block; `nil` if the segment does not have it.
    func digest(of range: Range<Int64>) -> [UInt8]? {
        guard let index = StagedSegment.blocks(of: self.range).firstIndex(of: range) else { return nil }
        return digests[index]
    }

    /// The ranges from the beginning of each block in a range to its end, or to that of the range.
    static func blocks(of range: Range<Int64>) -> [Range<Int64>] {
        let first = (range.lowerBound + ContentHash.blockSize - 1) / ContentHash.blockSize * ContentHash.blockSize
        return stride(from: first, to: range.upperBound, by: Int(ContentHash.blockSize)).map { start in
            start..<min(start + ContentHash.blockSize, range.upperBound)
        }
    }

    private static func hexadecimal(_ number: Int64, _ digits: Int) -> String {
        let text = String(number, radix: 16)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}

extension [UInt8] {
    /// Parses lower-case hexadecimal digits, two for each byte.
    fileprivate init?(hexadecimal text: Substring) {
        var values: [UInt8] = []
        for digit in text.utf8 {
            switch digit {
            case 0x30...0x39: values.append(digit - 0x30)
            case 0x61...0x66: values.append(digit - 0x57)
            default: return nil
            }
        }
        guard values.count.isMultiple(of: 2) else { return nil }
        self = stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
    }
}

internal import Crypto
internal import Domain

/// An object with consecutive bytes of staged bytes, or the mark of their end.
///
/// Its name says all about it, so that one list of names is all that a server needs to continue or finish an upload:
/// `<number>-<offset>-<size>-<id>-<digests>`, followed by `-<number>.<size>_…` if it was joined of several, or
/// `<number>-<offset>-end` without bytes. An encrypted one has a ``SegmentSeal`` in the place of the digests, and its
/// object has frames from number 0 on; all sizes are those of the plaintext.
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
    /// The key, in the form in which the name has it; `nil` without encryption.
    let seal: SegmentSeal?
    /// The ETag; empty before a list showed the segment.
    var tag = ""

    /// The maximum size in bytes: the digests of more would not fit into a name.
    static let maxSize: Int64 = 64 << 20

    /// The largest number and offset: names are data from outside, and sums of these do not overflow.
    private static let largest: Int64 = 1 << 60

    /// Consecutive bytes that were written with the same number.
    struct Run: Hashable, Sendable {
        let number: Int
        let size: Int64
    }

    /// The maximum number of runs, for the same reason.
    static let maxRuns = 20

    private static let digestSize = 20

    /// Creates a segment of bytes, with its digests.
    ///
    /// - Parameters:
    ///   - bytes: The plaintext.
    ///   - offset: The offset of the first byte in the staged bytes.
    ///   - runs: The numbers of the bytes.
    ///   - id: Distinguishes it from others.
    ///   - folder: Where it will be, with the keys; `nil` without encryption.
    /// - Throws: An error if the name cannot be sealed.
    init(
        _ bytes: UnsafeRawBufferPointer,
        at offset: Int64,
        runs: [Run],
        id: String,
        sealedIn folder: SegmentFolder? = nil
    ) throws {
        self.runs = runs
        number = runs.map(\.number).max() ?? 0
        self.offset = offset
        self.id = id
        size = Int64(bytes.count)
        let blocks = StagedSegment.blocks(of: offset..<offset + Int64(bytes.count))
        let digests = blocks.map { block in
            let range = Int(block.lowerBound - offset)..<Int(block.upperBound - offset)
            var sha1 = Insecure.SHA1()
            sha1.update(bufferPointer: UnsafeRawBufferPointer(rebasing: bytes[range]))
            return Array(sha1.finalize())
        }
        self.digests = digests
        let fields = StagedSegment.fields(number, offset, Int64(bytes.count), id, runs)
        seal = try folder.map { try SegmentSeal(digests, for: fields, $0) }
    }

    /// Creates a mark: what segments with smaller numbers have behind an offset does not count.
    init(endAt offset: Int64, number: Int) {
        self.number = number
        self.offset = offset
        size = nil
        id = ""
        (digests, runs, seal) = ([], [], nil)
    }

    /// Parses a name; `nil` if it is not the name of a segment, or if the segment cannot be used.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - tag: The ETag.
    ///   - objectSize: The size of the object.
    ///   - folder: Where it is, with the keys; `nil` without encryption.
    /// - Throws: ``SealError/unknownKey(_:)``, because bytes that exist must not seem to be missing.
    init?(name: String, tag: String, objectSize: Int64, sealedIn folder: SegmentFolder? = nil) throws {
        let fields = name.split(separator: "-", maxSplits: 5, omittingEmptySubsequences: false)
        guard fields.count >= 3, let number = Int(fields[0], radix: 16), let offset = Int64(fields[1], radix: 16),
            (0...StagedSegment.largest).contains(Int64(number)), (0...StagedSegment.largest).contains(offset)
        else { return nil }
        self.number = number
        self.offset = offset
        self.tag = tag
        if fields.count == 3, fields[2] == "end" {
            (size, id, digests, runs, seal) = (nil, "", [], [], nil)
            return
        }
        guard fields.count >= 5, let size = Int64(fields[2], radix: 16), size > 0, size <= StagedSegment.maxSize
        else { return nil }
        let count = StagedSegment.blocks(of: offset..<offset + size).count
        let runs = fields.count == 5 ? [Run(number: number, size: size)] : StagedSegment.runs(fields[5])
        let rest = StagedSegment.fields(number, offset, size, String(fields[3]), runs)
        guard let (seal, bytes) = try StagedSegment.contents(fields[4], of: rest, folder) else { return nil }
        self.seal = seal
        guard objectSize == (seal == nil ? size : Frame.sealed(size)),
            bytes.count == count * StagedSegment.digestSize, runs.reduce(0, { $0 + $1.size }) == size,
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
        let contents = seal.map { "\(SegmentSeal.prefix)\($0.text)" } ?? digests.flatMap(\.self).hexadecimal
        let name = "\(start)-\(StagedSegment.hexadecimal(size, 8))-\(id)-\(contents)"
        return runs.count > 1 ? "\(name)-\(StagedSegment.text(runs))" : name
    }

    /// What a name says of the contents: digests, or a seal with them; `nil` if it cannot be used.
    private static func contents(
        _ field: Substring,
        of rest: String,
        _ folder: SegmentFolder?
    ) throws(SealError) -> (seal: SegmentSeal?, digests: [UInt8])? {
        if let folder, field.first == SegmentSeal.prefix {
            do throws(SealError) {
                let (seal, digests) = try SegmentSeal.open(field.dropFirst(), for: rest, folder)
                return (seal, digests)
            } catch {
                guard error == .forged else { throw error }
                return nil
            }
        }
        guard folder?.encryption.readsUnencrypted ?? true else { return nil }
        return [UInt8](hexadecimal: field).map { (nil, $0) }
    }

    /// What the envelope of an encrypted segment belongs to.
    private static func fields(_ number: Int, _ offset: Int64, _ size: Int64, _ id: String, _ runs: [Run]) -> String {
        "\(number)-\(offset)-\(size)-\(id)-\(text(runs))"
    }

    private static func text(_ runs: [Run]) -> String {
        runs.map { "\(String($0.number, radix: 16)).\(String($0.size, radix: 16))" }.joined(separator: "_")
    }

    /// The bytes of the object with these bytes.
    func content(of bytes: UnsafeRawBufferPointer) throws -> [UInt8] {
        try seal.map { try FrameCipher($0.key).seal(all: bytes) } ?? Array(bytes)
    }

    /// The size of the object.
    var objectSize: Int64 { seal == nil ? size ?? 0 : Frame.sealed(size ?? 0) }

    /// How a sealed object is read; `nil` if the object has the bytes as they are.
    var sealed: SealedRuns? { seal.map { SealedRuns([SealedRun(size: size ?? 0, first: 0, key: $0.key)]) } }

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

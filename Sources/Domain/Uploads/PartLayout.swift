/// Which bytes of an upload are there, and where they lie in its one staged file: rules without I/O.
///
/// A part lies where it will be in the finished file, if that can be guessed: at a multiple of the size that the first
/// part had. A part of another size may not fit there; then it lies behind all others, and the end of the upload has
/// to copy.
struct PartLayout: Sendable {
    /// A part that is there, up to its size.
    struct Part: Sendable, Hashable {
        /// Where it begins in the staged file, in bytes.
        var offset: Int64
        var size: Int64
        /// What the client has to name it by when it ends the upload.
        var tag: String

        var end: Int64 { offset + size }
    }

    /// The bytes of the staged file that are reserved for a part.
    struct Slot: Sendable, Hashable {
        let number: Int
        let offset: Int64
        let size: Int64
    }

    /// Bytes that follow others in the file to come.
    struct Piece: Sendable, Hashable {
        let offset: Int64
        let size: Int64
    }

    private(set) var parts: [Int: Part] = [:]
    /// The size that parts have, but the last.
    private(set) var unit: Int64?
    /// The end of all bytes and of all reserved ranges.
    private(set) var end: Int64 = 0
    /// Ranges of parts that are or were not at the offset that their number gives; no other part is predicted there.
    private var displaced: [Range<Int64>] = []
    /// Slots that were reserved for parts of which no byte is used.
    private var free: [Slot] = []

    /// What of all parts is there.
    var received: Int64 { parts.values.reduce(0) { $0 + $1.size } }

    /// Reserves a range for the bytes of a part.
    ///
    /// - Parameters:
    ///   - number: 1 or more.
    ///   - size: How many bytes it will have at most.
    ///   - limit: The maximum end of a part; no byte may be stored beyond it.
    /// - Returns: The offset in the staged file.
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` if no range is free below the limit.
    mutating func reserve(_ number: Int, size: Int64, limit: Int64) throws -> Int64 {
        let unit = self.unit ?? max(size, 1)
        self.unit = unit
        let (guess, isHuge) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        // One that is sent again lies elsewhere until it is whole: what was answered stays.
        if parts[number] == nil, size <= unit, !isHuge, guess <= limit - size,
            !displaced.contains(where: { $0.overlaps(guess..<guess + unit) })
        {
            end = max(end, guess + size)
            return guess
        }
        if let index = free.firstIndex(where: { $0.size >= size }) { return free.remove(at: index).offset }
        let offset = (end + ContentHash.blockSize - 1) / ContentHash.blockSize * ContentHash.blockSize
        guard size <= limit, offset <= limit - size else {
            throw PartLayout.isFull
        }
        displaced.append(offset..<offset + max(size, 1))
        end = offset + size
        return offset
    }

    private static let isFull = ServiceError(
        .payloadTooLarge,
        "The parts of the upload take more space than the upload is allowed to use."
    )

    /// Says that a part's bytes are there.
    mutating func record(_ number: Int, _ part: Part) {
        parts[number] = part
        end = max(end, part.end)
    }

    /// Takes back what was stored of a part.
    mutating func restore(_ number: Int, _ part: Part, unit: Int64) {
        self.unit = unit
        record(number, part)
        let (guess, isHuge) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        if isHuge || guess != part.offset || part.size > unit {
            displaced.append(part.offset..<part.offset + max(part.size, 1))
        }
    }

    /// Reserves a slot for a part that has no number of its own: one that was released, or one behind all bytes.
    ///
    /// - Parameters:
    ///   - size: How many bytes it will have.
    ///   - unit: The most bytes of a part.
    ///   - extent: How far bytes reach in the file, also those of parts that were never ended.
    ///   - limit: As of ``reserve(_:size:limit:)``.
    /// - Returns: The slot.
    /// - Throws: As ``reserve(_:size:limit:)``.
    mutating func reserveNext(size: Int64, unit: Int64, extent: Int64, limit: Int64) throws -> Slot {
        if let index = free.firstIndex(where: { $0.size >= size }) {
            let slot = free.remove(at: index)
            return Slot(number: slot.number, offset: slot.offset, size: size)
        }
        // Not by the parts' own unit: a block that has begun and is no part yet needs its full size.
        let offset = (max(end, extent) + unit - 1) / unit * unit
        guard size <= limit, offset <= limit - size else { throw PartLayout.isFull }
        var number = Int(offset / unit) + 1
        while parts[number] != nil { number += 1 }
        self.unit = self.unit ?? unit
        displaced.append(offset..<offset + unit)
        end = offset + size
        return Slot(number: number, offset: offset, size: size)
    }

    /// Releases a slot that no part uses, and that no part will get because of its number.
    mutating func release(_ slot: Slot) {
        if slot.size > 0 { free.append(slot) }
    }

    /// The bytes of parts, one after the other.
    ///
    /// - Parameter order: Numbers of parts, each once.
    /// - Returns: `nil` if a part is not there.
    func pieces(of order: [Int]) -> [Piece]? {
        var pieces: [Piece] = []
        for number in order {
            guard let part = parts[number] else { return nil }
            pieces.append(Piece(offset: part.offset, size: part.size))
        }
        return pieces
    }
}

extension PartLayout {
    /// Whether pieces, in their order, are a file as they lie in the staged one that reaches as far as `extent`.
    ///
    /// What is behind them is cut off then, so it must be nothing that a client may still name.
    func areContiguousFile(_ pieces: [Piece], extent: Int64) -> Bool {
        guard pieces.areContiguous else { return false }
        let size = pieces.size
        if extent == size { return true }
        // Blocks without a tag may go on by a context that only their client knows.
        return parts.values.allSatisfy { !$0.tag.isEmpty && $0.end <= size }
    }
}

extension [PartLayout.Piece] {
    /// Whether each begins at the end of the one before, and the first at offset 0.
    var areContiguous: Bool {
        var end: Int64 = 0
        for piece in self {
            guard piece.offset == end || piece.size == 0 else { return false }
            end += piece.size
        }
        return true
    }

    var size: Int64 { reduce(0) { $0 + $1.size } }
}

/// The stored parts of an upload and their offsets in its staged file: rules without I/O.
///
/// A part is stored at its predicted offset in the finished file: a multiple of the first part's size. A part of
/// another size may not fit there; it is then stored after all others, and the end of the upload has to copy.
struct PartLayout: Sendable {
    /// A stored part.
    struct Part: Sendable, Hashable {
        /// Its offset in the staged file, in bytes.
        var offset: Int64
        var size: Int64
        /// The tag by which the client names the part when it finishes the upload.
        var tag: String

        var end: Int64 { offset + size }
    }

    /// The range of the staged file that is reserved for a part.
    struct Slot: Sendable, Hashable {
        let number: Int
        let offset: Int64
        let size: Int64
    }

    /// Bytes that are consecutive in the finished file.
    struct Piece: Sendable, Hashable {
        let offset: Int64
        let size: Int64
    }

    private(set) var parts: [Int: Part] = [:]
    /// The size of all parts but the last.
    private(set) var unit: Int64?
    /// The end of all bytes and of all reserved ranges.
    private(set) var end: Int64 = 0
    /// Ranges of parts that are or were not at the offset that their number gives; no other part is predicted there.
    private var displaced: [Range<Int64>] = []
    /// Slots that were reserved for parts and contain no used byte.
    private var free: [Slot] = []

    /// The number of stored bytes of all parts.
    var received: Int64 { parts.values.reduce(0) { $0 + $1.size } }

    /// Reserves a range for the bytes of a part.
    ///
    /// - Parameters:
    ///   - number: 1 or more.
    ///   - size: The maximum number of its bytes.
    ///   - limit: The maximum end of a part; no byte is stored beyond it.
    /// - Returns: The offset in the staged file.
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` if no range is free below the limit.
    mutating func reserve(_ number: Int, size: Int64, limit: Int64) throws -> Int64 {
        let unit = self.unit ?? max(size, 1)
        self.unit = unit
        // A part that is sent again is stored elsewhere until it is complete: the confirmed bytes stay.
        if parts[number] == nil, size <= unit, let guess = PartLayout.guess(number, unit), guess <= limit - size,
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

    /// The predicted offset of a part; `nil` if there is none.
    private static func guess(_ number: Int, _ unit: Int64) -> Int64? {
        let (guess, overflows) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        return overflows || guess.addingReportingOverflow(unit).overflow ? nil : guess
    }

    static let isFull = ServiceError(
        .payloadTooLarge,
        "The parts of the upload take more space than the upload is allowed to use."
    )

    /// Records the stored bytes of a part.
    mutating func record(_ number: Int, _ part: Part) {
        parts[number] = part
        end = max(end, part.end)
    }

    /// Adds a part that was loaded from the database.
    mutating func restore(_ number: Int, _ part: Part, unit: Int64) {
        self.unit = unit
        record(number, part)
        if PartLayout.guess(number, unit) != part.offset || part.size > unit {
            displaced.append(part.offset..<part.offset + max(part.size, 1))
        }
    }

    /// Reserves a slot for a part without a number: a released slot, or one after all bytes.
    ///
    /// - Parameters:
    ///   - size: The number of its bytes.
    ///   - unit: The maximum size of a part in bytes.
    ///   - extent: The end of the bytes in the file, including those of unfinished parts.
    ///   - limit: As for ``reserve(_:size:limit:)``.
    /// - Returns: The slot.
    /// - Throws: The errors of ``reserve(_:size:limit:)``.
    mutating func reserveNext(size: Int64, unit: Int64, extent: Int64, limit: Int64) throws -> Slot {
        if let index = free.firstIndex(where: { $0.size >= size }) {
            let slot = free.remove(at: index)
            return Slot(number: slot.number, offset: slot.offset, size: size)
        }
        // Not a multiple of the parts' own unit: an unfinished block, which is not a part yet, needs its full size.
        let offset = (max(end, extent) + unit - 1) / unit * unit
        guard size <= limit, offset <= limit - size else { throw PartLayout.isFull }
        var number = Int(offset / unit) + 1
        while parts[number] != nil { number += 1 }
        self.unit = self.unit ?? unit
        displaced.append(offset..<offset + unit)
        end = offset + size
        return Slot(number: number, offset: offset, size: size)
    }

    /// Releases a slot that no part uses and that no part number predicts.
    mutating func release(_ slot: Slot) {
        if slot.size > 0 { free.append(slot) }
    }

    /// The pieces of parts in an order.
    ///
    /// - Parameter order: Numbers of parts, each once.
    /// - Returns: The pieces; `nil` if a part is not stored.
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
    /// Whether the staged file, truncated after the pieces, is the file that the pieces form in their order.
    ///
    /// `extent` is the end of the staged file. The truncated bytes must not belong to a part that a client can still
    /// name.
    func areContiguousFile(_ pieces: [Piece], extent: Int64) -> Bool {
        guard pieces.areContiguous else { return false }
        let size = pieces.size
        if extent == size { return true }
        // Blocks without a tag can be continued by a context that only their client has.
        return parts.values.allSatisfy { !$0.tag.isEmpty && $0.end <= size }
    }
}

extension [PartLayout.Piece] {
    /// Whether each piece begins at the end of the previous one, and the first at offset 0.
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

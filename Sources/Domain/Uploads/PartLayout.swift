/// Which bytes of an upload are there, and where they lie in its one staged file: rules without I/O.
///
/// A part lies where it will be in the finished file, if that can be guessed: at a multiple of the size that the first
/// part had. A part of another size may not fit there; then it lies behind all others, and the end of the upload has
/// to copy.
struct PartLayout: Sendable {
    /// A part that is there, up to its size.
    struct Part: Sendable, Hashable {
        var place: Int64
        var size: Int64
        /// What the client has to name it by when it ends the upload.
        var tag: String

        var end: Int64 { place + size }
    }

    /// Where a part may lie, and how large it may be.
    struct Place: Sendable, Hashable {
        let number: Int
        let start: Int64
        let size: Int64
    }

    /// Bytes that follow others in the file to come.
    struct Piece: Sendable, Hashable {
        let place: Int64
        let size: Int64
    }

    private(set) var parts: [Int: Part] = [:]
    /// The size that parts have, but the last.
    private(set) var unit: Int64?
    /// Where nothing lies any more, nor will by a promise.
    private(set) var end: Int64 = 0
    /// Where parts lie or lay that are not where their number says, so that others may not lie there.
    private var strayed: [Range<Int64>] = []
    /// Places that were promised to parts of which nothing came that counts.
    private var free: [Place] = []

    /// What of all parts is there.
    var received: Int64 { parts.values.reduce(0) { $0 + $1.size } }

    /// Says where a part's bytes go, and that nothing else goes there.
    ///
    /// - Parameters:
    ///   - number: 1 or more.
    ///   - size: How many bytes it will have at most.
    ///   - limit: The maximum end of a part; no byte may be stored beyond it.
    /// - Returns: The place.
    /// - Throws: ``ServiceError/Code/payloadTooLarge`` if there is none.
    mutating func promise(_ number: Int, size: Int64, limit: Int64) throws -> Int64 {
        let unit = self.unit ?? max(size, 1)
        self.unit = unit
        let (guess, isHuge) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        // One that is sent again lies elsewhere until it is whole: what was answered stays.
        if parts[number] == nil, size <= unit, !isHuge, guess <= limit - size,
            !strayed.contains(where: { $0.overlaps(guess..<guess + unit) })
        {
            end = max(end, guess + size)
            return guess
        }
        if let index = free.firstIndex(where: { $0.size >= size }) { return free.remove(at: index).start }
        let place = (end + ContentHash.blockSize - 1) / ContentHash.blockSize * ContentHash.blockSize
        guard size <= limit, place <= limit - size else {
            throw PartLayout.isFull
        }
        strayed.append(place..<place + max(size, 1))
        end = place + size
        return place
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
        if isHuge || guess != part.place || part.size > unit {
            strayed.append(part.place..<part.place + max(part.size, 1))
        }
    }

    /// A place for a part that has no number of its own: one that was given back, or one behind all bytes.
    ///
    /// - Parameters:
    ///   - size: How many bytes it will have.
    ///   - unit: The most bytes of a part.
    ///   - extent: How far bytes reach in the file, also those of parts that were never ended.
    ///   - limit: As of ``promise(_:size:limit:)``.
    /// - Returns: The place.
    /// - Throws: As ``promise(_:size:limit:)``.
    mutating func nextPlace(size: Int64, unit: Int64, extent: Int64, limit: Int64) throws -> Place {
        if let index = free.firstIndex(where: { $0.size >= size }) {
            let place = free.remove(at: index)
            return Place(number: place.number, start: place.start, size: size)
        }
        // Not by the parts' own unit: a block that has begun and is no part yet needs its full size.
        let start = (max(end, extent) + unit - 1) / unit * unit
        guard size <= limit, start <= limit - size else { throw PartLayout.isFull }
        var number = Int(start / unit) + 1
        while parts[number] != nil { number += 1 }
        self.unit = self.unit ?? unit
        strayed.append(start..<start + unit)
        end = start + size
        return Place(number: number, start: start, size: size)
    }

    /// Says that nothing lies at a place any more, nor that a part will which is sent there because of its number.
    mutating func giveBack(_ place: Place) {
        if place.size > 0 { free.append(place) }
    }

    /// The bytes of parts, one after the other.
    ///
    /// - Parameter order: Numbers of parts, each once.
    /// - Returns: `nil` if a part is not there.
    func pieces(of order: [Int]) -> [Piece]? {
        var pieces: [Piece] = []
        for number in order {
            guard let part = parts[number] else { return nil }
            pieces.append(Piece(place: part.place, size: part.size))
        }
        return pieces
    }
}

extension PartLayout {
    /// Whether pieces, in their order, are a file as they lie in the staged one that reaches as far as `extent`.
    ///
    /// What is behind them is cut off then, so it must be nothing that a client may still name.
    func areWhole(_ pieces: [Piece], extent: Int64) -> Bool {
        guard pieces.areInPlace else { return false }
        let size = pieces.size
        if extent == size { return true }
        // Blocks without a tag may go on by a context that only their client knows.
        return parts.values.allSatisfy { !$0.tag.isEmpty && $0.end <= size }
    }
}

extension [PartLayout.Piece] {
    /// Whether they lie as they follow each other, from the first byte on.
    var areInPlace: Bool {
        var end: Int64 = 0
        for piece in self {
            guard piece.place == end || piece.size == 0 else { return false }
            end += piece.size
        }
        return true
    }

    var size: Int64 { reduce(0) { $0 + $1.size } }
}

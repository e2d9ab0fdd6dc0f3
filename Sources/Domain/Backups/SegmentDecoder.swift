internal import Crypto

/// Reads a segment's file piece by piece; its memory does not depend on the size of the file.
///
/// Pages are passed on before the digest at the end is compared. Who must not use damaged pages reads the file twice.
package struct SegmentDecoder {
    private enum Stage {
        case header
        case pageNumber
        case page
        case end
        case digest
        case finished
    }

    private var stage = Stage.header
    /// The bytes of the current part so far.
    private var part: [UInt8] = []
    private var partSize = SegmentHeader.size
    private var hash = SHA256()
    private var header: SegmentHeader?
    private var end: SegmentEnd?
    private var digest: [UInt8] = []
    private var pages = 0

    /// Creates a decoder for one file.
    package init() {}

    /// Reads the next bytes.
    ///
    /// - Parameters:
    ///   - bytes: Any number of bytes, in the order of the file.
    ///   - body: Called with the number and the bytes of each page, which are valid during the call.
    /// - Throws: ``SegmentDefect``, and what the body throws; the decoder is of no further use then.
    package mutating func add(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (UInt32, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            guard stage != .finished else { throw SegmentDefect("has bytes after its end") }
            let taken = rest.prefix(partSize - part.count)
            part.append(contentsOf: taken)
            rest = rest.dropFirst(taken.count)
            if part.count == partSize { try finishPart(body) }
        }
    }

    /// Ends the file.
    ///
    /// - Returns: What the segment is.
    /// - Throws: ``SegmentDefect`` if it is not whole.
    package func finish() throws(SegmentDefect) -> SegmentFacts {
        guard stage == .finished, let header, let end else { throw SegmentDefect("is cut off") }
        return SegmentFacts(header: header, end: end, pages: pages, digest: digest)
    }

    private mutating func finishPart(_ body: (UInt32, UnsafeRawBufferPointer) throws -> Void) throws {
        switch stage {
        case .header:
            guard let header = part.withUnsafeBytes({ SegmentHeader($0) }) else {
                throw SegmentDefect("is damaged or of a newer version of lcfile")
            }
            self.header = header
            begin(.pageNumber, size: 4)
        case .pageNumber:
            // The rest of the page, or of the end, follows its number.
            let isEnd = part.allSatisfy { $0 == 0 }
            stage = isEnd ? .end : .page
            partSize = isEnd ? SegmentEnd.size : 4 + (header?.pageSize ?? 0)
        case .page:
            try part.withUnsafeBytes { bytes in
                let number = UInt32(bigEndian: bytes.loadUnaligned(as: UInt32.self))
                try body(number, UnsafeRawBufferPointer(rebasing: bytes[4...]))
            }
            pages += 1
            begin(.pageNumber, size: 4)
        case .end:
            guard let end = part.withUnsafeBytes({ SegmentEnd($0) }) else { throw SegmentDefect("has a damaged end") }
            self.end = end
            begin(.digest, size: SegmentHeader.digestSize)
        case .digest:
            digest = Array(hash.finalize())
            guard digest == part else { throw SegmentDefect("has other bytes than were stored") }
            begin(.finished, size: 0)
        case .finished:
            break
        }
    }

    /// Ends the current part.
    private mutating func begin(_ next: Stage, size: Int) {
        if stage != .digest { hash.update(data: part) }
        part.removeAll(keepingCapacity: true)
        stage = next
        partSize = size
    }
}

/// What a whole segment says of itself.
package struct SegmentFacts: Sendable, Equatable {
    /// The beginning of the file.
    package let header: SegmentHeader
    /// The end of the file.
    package let end: SegmentEnd
    /// The number of pages in it.
    package let pages: Int
    /// The SHA-256 at its end, which the next segment names.
    package let digest: [UInt8]
}

/// The reason why a segment cannot be used.
package struct SegmentDefect: Error, CustomStringConvertible, Equatable {
    /// The reason; continues "the segment …".
    package let description: String

    /// Creates a defect with a reason.
    package init(_ description: String) {
        self.description = description
    }
}

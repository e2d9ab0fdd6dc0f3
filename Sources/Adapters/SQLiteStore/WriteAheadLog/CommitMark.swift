/// How far the write-ahead log reached when the last transaction was answered; kept outside the log (``CommitWatch``).
///
/// SQLite ignores everything behind the first frame with a wrong checksum, because it cannot tell a damaged frame from
/// one that was never finished. The mark tells them apart: frames up to it were synced.
struct CommitMark: Sendable, Equatable {
    /// A place in the log: the number of frames up to the end of a transaction.
    struct Place: Sendable, Equatable {
        let salts: WALSalts
        let frames: UInt32
    }

    /// The end of the last transaction.
    var end: Place
    /// The number of frames that the database is known to contain, all up to it; synced.
    var checkpointed: UInt32 = 0
    /// The end of the log before it was last begun anew; `nil` if that is unknown.
    var previous: Place?

    /// The size of a mark in its file: less than a sector, so that a disk writes all of it or nothing.
    static let size = 48
    private static let magic: UInt64 = 0x6c63_6d61_726b_3031  // lcmark01
    private static let sumOffset = 40

    init(end: Place, checkpointed: UInt32 = 0, previous: Place? = nil) {
        self.end = end
        self.checkpointed = checkpointed
        self.previous = previous
    }

    /// The mark in the bytes of a file; `nil` if they are no whole mark of this version.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= CommitMark.size, bytes.loadUnaligned(as: UInt64.self).bigEndian == CommitMark.magic,
            CommitMark.checksum(of: bytes) == WALChecksum(bytes.word(at: 40), bytes.word(at: 44))
        else { return nil }
        func place(at offset: Int) -> Place {
            Place(
                salts: WALSalts(first: bytes.word(at: offset), second: bytes.word(at: offset + 4)),
                frames: bytes.word(at: offset + 8)
            )
        }
        end = place(at: 8)
        checkpointed = bytes.word(at: 20)
        previous = bytes.word(at: 36) == 1 ? place(at: 24) : nil
    }

    /// Calls the body with the bytes of the mark.
    func withBytes<Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
        var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (CommitMark.magic.bigEndian, 0, 0, 0, 0, 0)
        var failure: Failure?
        withUnsafeMutableBytes(of: &words) { bytes in
            let numbers = [
                end.salts.first, end.salts.second, end.frames, checkpointed,
                previous?.salts.first ?? 0, previous?.salts.second ?? 0, previous?.frames ?? 0,
                previous == nil ? 0 : 1,
            ]
            for (index, number) in numbers.enumerated() {
                bytes.storeBytes(of: number.bigEndian, toByteOffset: 8 + index * 4, as: UInt32.self)
            }
            let sum = CommitMark.checksum(of: UnsafeRawBufferPointer(bytes))
            bytes.storeBytes(of: sum.first.bigEndian, toByteOffset: 40, as: UInt32.self)
            bytes.storeBytes(of: sum.second.bigEndian, toByteOffset: 44, as: UInt32.self)
            do throws(Failure) {
                try body(UnsafeRawBufferPointer(bytes))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    private static func checksum(of bytes: UnsafeRawBufferPointer) -> WALChecksum {
        var sum = WALChecksum()
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<sumOffset]), bigEndian: true)
        return sum
    }
}

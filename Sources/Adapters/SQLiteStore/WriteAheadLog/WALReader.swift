internal import Domain
internal import Glibc

/// Reads the frames of a write-ahead log as SQLite does in a recovery: up to the first one that is not whole.
///
/// A server can write to the log at the same time: then the reader ends at the last whole frame, and continues there
/// when it is asked again. Not thread-safe.
final class WALReader {
    /// One page as a transaction wrote it.
    struct Frame {
        /// The number of the frame in the log, from 1.
        let number: UInt32
        /// The number of the page in the database, from 1.
        let page: UInt32
        /// The size of the database in pages after the transaction, in the last frame of one; otherwise 0.
        let databaseSize: UInt32

        /// Whether the frame ends a transaction.
        var isCommit: Bool { databaseSize > 0 }
    }

    let header: WALHeader
    /// The number of whole frames that were read.
    private(set) var count: UInt32 = 0
    /// The running checksum after them.
    private(set) var checksum: WALChecksum

    private let file: LogDescriptor
    /// Frames that were read ahead.
    private let buffer: UnsafeMutableRawBufferPointer
    private var buffered = 0..<0

    private static let frameHeader = 24
    private static let framesInBuffer = 64

    /// The size of a frame in bytes.
    private var frameSize: Int { WALReader.frameHeader + header.pageSize }

    /// Opens a log at its first frame.
    ///
    /// - Returns: `nil` if the file does not exist, or has no header that SQLite would accept.
    /// - Throws: ``SystemFailure`` if it cannot be read.
    init?(_ path: String) throws(SystemFailure) {
        guard let file = try WALReader.existing(path), let header = try WALReader.header(of: file) else { return nil }
        self.file = file
        self.header = header
        checksum = header.checksum
        let size = WALReader.framesInBuffer * (WALReader.frameHeader + header.pageSize)
        buffer = .allocate(byteCount: size, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// The current header in the file of a log; `nil` if there is none that SQLite would accept.
    static func header(of file: LogDescriptor) throws(SystemFailure) -> WALHeader? {
        var bytes: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        var failure: SystemFailure?
        let header = withUnsafeMutableBytes(of: &bytes) { bytes -> WALHeader? in
            do throws(SystemFailure) {
                guard try file.read(into: bytes, at: 0) == WALHeader.size else { return nil }
            } catch {
                failure = error
            }
            return WALHeader(UnsafeRawBufferPointer(bytes))
        }
        if let failure { throw failure }
        return header
    }

    /// Skips frames that are known to be whole, and takes their running checksum from the last of them.
    ///
    /// - Parameter frames: The number of the last one.
    /// - Throws: ``SystemFailure``, also for a frame of another log.
    func skip(to frames: UInt32) throws(SystemFailure) {
        guard frames > count else { return }
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<WALReader.frameHeader])
        buffered = 0..<0
        let size = try file.read(into: bytes, at: offset(behind: frames - 1))
        let read = UnsafeRawBufferPointer(bytes)
        guard size == WALReader.frameHeader,
            WALSalts(first: read.word(at: 8), second: read.word(at: 12)) == header.salts
        else { throw SystemFailure(number: EIO) }
        checksum = WALChecksum(read.word(at: 16), read.word(at: 20))
        count = frames
    }

    /// Reads the next frame.
    ///
    /// - Parameters:
    ///   - limit: The number of the last frame that can be read ahead: frames behind the last commit can be overwritten
    ///     later, although they are whole.
    ///   - body: Gets the frame and its page, which is valid during the call.
    /// - Returns: The result of the body; `nil` if no further frame is whole.
    /// - Throws: ``SystemFailure``, and what the body throws; the frame counts as read then.
    func next<Result>(
        upTo limit: UInt32 = .max,
        _ body: (Frame, UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        guard count < limit else { return nil }
        if buffered.count < frameSize { try fill(upTo: limit) }
        guard buffered.count >= frameSize else { return nil }
        let bytes = UnsafeRawBufferPointer(
            rebasing: UnsafeRawBufferPointer(buffer)[buffered.lowerBound..<buffered.lowerBound + frameSize]
        )
        let page = UnsafeRawBufferPointer(rebasing: bytes[WALReader.frameHeader...])
        var sum = checksum
        sum.add(UnsafeRawBufferPointer(rebasing: bytes[..<8]), bigEndian: header.isBigEndian)
        sum.add(page, bigEndian: header.isBigEndian)
        let frame = Frame(number: count + 1, page: bytes.word(at: 0), databaseSize: bytes.word(at: 4))
        guard frame.page > 0, WALSalts(first: bytes.word(at: 8), second: bytes.word(at: 12)) == header.salts,
            WALChecksum(bytes.word(at: 16), bytes.word(at: 20)) == sum
        else {
            // It may be written at this moment, so it is read again the next time.
            buffered = 0..<0
            return nil
        }
        checksum = sum
        count += 1
        buffered = buffered.lowerBound + frameSize..<buffered.upperBound
        return try body(frame, page)
    }

    private func fill(upTo limit: UInt32) throws(SystemFailure) {
        let frames = min(WALReader.framesInBuffer, Int(limit - count))
        let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(frames * frameSize)])
        buffered = 0..<(try file.read(into: bytes, at: offset(behind: count)))
    }

    /// The offset behind a number of frames.
    private func offset(behind frames: UInt32) -> Int64 {
        Int64(WALHeader.size) + Int64(frames) * Int64(frameSize)
    }

    private static func existing(_ path: String) throws(SystemFailure) -> LogDescriptor? {
        do throws(SystemFailure) {
            return try LogDescriptor(path)
        } catch {
            if error.number == ENOENT { return nil }
            throw error
        }
    }
}

internal import NIOCore

/// The head of a frame of HTTP/2 (RFC 9113 section 4.1), without its stream.
struct FrameHead {
    /// The number of bytes of the payload.
    let length: Int
    /// The type (RFC 9113 section 6).
    let type: UInt8
    /// The flags, whose meaning depends on the type.
    let flags: UInt8

    /// The type of frames with a part of a body.
    static let data: UInt8 = 0
    /// The type of frames with settings of the client.
    static let settings: UInt8 = 4
}

/// Finds the frames in the bytes of a client of HTTP/2, which arrive in buffers that can end at any byte.
struct FrameScanner {
    /// A part of a buffer.
    enum Part {
        /// The last bytes of a frame's head.
        case head(FrameHead)
        /// Bytes of a frame's payload, as indices of the buffer; without a frame those of the client's preface.
        case payload(FrameHead?, Range<Int>)
    }

    /// The last frame whose head has arrived.
    private var frame: FrameHead?
    /// The bytes before the next frame: at first the client's preface (RFC 9113 section 3.4).
    private var missing = 24
    /// The beginning of a frame's head.
    private var head = ByteBuffer()

    /// The size in bytes of a frame's head.
    private static let headSize = 9

    /// Reads the next part of a buffer.
    ///
    /// - Parameter bytes: The buffer; it must be read to its end before the next one.
    /// - Returns: `nil` at the end of the buffer.
    mutating func next(in bytes: inout ByteBuffer) -> Part? {
        guard bytes.readableBytes > 0 else { return nil }
        guard missing == 0 else {
            let start = bytes.readerIndex
            let step = min(missing, bytes.readableBytes)
            bytes.moveReaderIndex(forwardBy: step)
            missing -= step
            return .payload(frame, start..<start + step)
        }
        let rest = min(FrameScanner.headSize - head.readableBytes, bytes.readableBytes)
        guard var part = bytes.readSlice(length: rest) else { return nil }
        head.writeBuffer(&part)
        guard head.readableBytes == FrameScanner.headSize, let high = head.readInteger(as: UInt8.self),
            let low = head.readInteger(as: UInt16.self), let type = head.readInteger(as: UInt8.self),
            let flags = head.readInteger(as: UInt8.self)
        else { return nil }
        head.clear()
        let frame = FrameHead(length: Int(high) << 16 | Int(low), type: type, flags: flags)
        self.frame = frame
        missing = frame.length
        return .head(frame)
    }
}

internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

extension ResponseBody {
    /// A part of a blob, sent by the kernel where the connection can, else read and written piece by piece.
    init(of blob: any OpenBlob, range: Range<Int64>, on channel: any Channel) {
        let pieceSize: Int64 = 256 << 10
        self.init(contentLength: range.count) { writer in
            if let descriptor = blob.descriptor {
                // The descriptor is open as long as the blob lives.
                defer { withExtendedLifetime(blob) {} }
                try await SendFile(descriptor: descriptor, range: range).send(on: channel)
            } else {
                var position = range.lowerBound
                while position < range.upperBound {
                    let count = Int(min(pieceSize, range.upperBound - position))
                    let bytes = try await blob.read(at: position, count: count)
                    guard bytes.readableBytes > 0 else { throw BlobEndedEarly() }
                    position += Int64(bytes.readableBytes)
                    try await writer.write(bytes)
                }
            }
            try await writer.finish(nil)
        }
    }
}

/// A blob's file is shorter than its size says; the connection breaks off, which is the only honest answer by then.
private struct BlobEndedEarly: Error {}

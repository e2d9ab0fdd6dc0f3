internal import Domain
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

extension ResponseBody {
    /// A part of a blob, sent by the kernel where the connection can, else read and written piece by piece.
    ///
    /// If the bytes cannot be read, the connection breaks off, which is the only honest answer behind a head.
    init(of blob: any OpenBlob, range: Range<Int64>, _ context: APIContext) {
        let pieceSize: Int64 = 256 << 10
        self.init(contentLength: range.count) { writer in
            do {
                if let descriptor = blob.descriptor {
                    // The descriptor is open as long as the blob lives.
                    defer { withExtendedLifetime(blob) {} }
                    try await SendFile(descriptor: descriptor, range: range).send(on: context.channel)
                } else {
                    var position = range.lowerBound
                    while position < range.upperBound {
                        let count = Int(min(pieceSize, range.upperBound - position))
                        let bytes = try await blob.read(at: position, count: count)
                        guard bytes.readableBytes > 0 else { throw FileEndedEarly(end: range.upperBound) }
                        position += Int64(bytes.readableBytes)
                        try await writer.write(bytes)
                    }
                }
            } catch {
                if let failure = FailedRead(error) {
                    blob.noteDamage()
                    failure.report(to: context.logger)
                    context.channel.close(promise: nil)
                }
                throw error
            }
            try await writer.finish(nil)
        }
    }
}

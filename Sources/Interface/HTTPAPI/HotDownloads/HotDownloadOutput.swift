internal import Domain
internal import NIOCore

/// Sends hot downloads on one connection, from memory or from their files.
///
/// Used on its connection's event loop only.
final class HotDownloadOutput {
    private let downloads: HotDownloads
    private let files: FileSending
    private let output: SocketOutput
    private let context: ChannelHandlerContext
    /// ``HotDownloads/countSent(_:)`` after the last body of this connection that was counted.
    private var lastCount: Int?

    /// - Parameters:
    ///   - downloads: Counts what is sent.
    ///   - files: How files are sent.
    ///   - output: The output of the connection.
    ///   - context: The handler that sends.
    init(_ downloads: HotDownloads, _ files: FileSending, _ output: SocketOutput, _ context: ChannelHandlerContext) {
        self.downloads = downloads
        self.files = files
        self.output = output
        self.context = context
    }

    /// Sends a response.
    ///
    /// - Parameters:
    ///   - head: Its head.
    ///   - body: The download whose bytes are the body; `nil` for a response without one.
    /// - Returns: `nil` if the socket has accepted all bytes; else succeeds when it has, or fails with the error of the
    ///   file or the connection.
    func send(_ head: ByteBuffer, _ body: HotDownload?) -> EventLoopFuture<Void>? {
        guard let body, let file = body.file else { return sendBytes(head, body?.bytes) }
        guard let bytes = body.bytes else { return sendFile(head, file, body.size) }
        guard isFileFaster(counting: bytes.readableBytes) else { return sendBytes(head, bytes) }
        return sendFile(head, file, orElse: bytes)
    }

    /// Counts a body that is sent from memory or from its file, and decides which is faster.
    ///
    /// The kernel copies a body to memory that the client has read, and reads it from there once more. With few active
    /// connections that memory is in the cache, and copying takes half the time of `sendfile`, which handles each
    /// page. With many it takes longer. What was sent to all since this connection's last body is about as much as is on
    /// the way.
    private func isFileFaster(counting size: Int) -> Bool {
        guard output.isDirect, size >= HotDownload.shortestFile else { return false }
        let count = downloads.countSent(size)
        defer { lastCount = count }
        return lastCount.map { count - $0 > HotDownloadOutput.cacheSize } ?? false
    }

    /// The number of bytes of which copies stay in the cache; measured with bodies of 100 KB on 64 and on 128
    /// connections.
    private static let cacheSize = 8 << 20

    private func sendBytes(_ head: ByteBuffer, _ body: ByteBuffer?) -> EventLoopFuture<Void>? {
        guard !output.send(head, body) else { return nil }
        let size = head.storageCapacity + (body?.storageCapacity ?? 0)
        downloads.pending(size)
        let sent = output.sentAll()
        sent.assumeIsolated().whenComplete { [downloads] _ in downloads.pending(-size) }
        return sent
    }

    /// Sends a body from its file, and from memory what the socket did not accept, or what cannot be read.
    private func sendFile(_ head: ByteBuffer, _ body: BlobFile, orElse bytes: ByteBuffer) -> EventLoopFuture<Void>? {
        let sent = body.file.withDescriptor { output.send(head, before: $0, Int64(bytes.readableBytes)) }
        guard let sent else { return sendBytes(head, bytes) }
        guard sent < bytes.readableBytes else { return nil }
        var rest = bytes
        rest.moveReaderIndex(forwardBy: Int(sent))
        return sendBytes(rest, nil)
    }

    private func sendFile(_ head: ByteBuffer, _ body: BlobFile, _ size: Int64) -> EventLoopFuture<Void> {
        output.noteWrite()
        // Segments are full, and the head is in the first one, although the socket accepts a large file in parts.
        context.channel.setCork(true)
        context.write(NIOAny(IOData.byteBuffer(head)), promise: nil)
        let sent = transfer(0..<size, of: body)
        sent.assumeIsolated().whenComplete { [context] _ in
            // The descriptor had to stay open until now.
            withExtendedLifetime(body) {}
            context.channel.setCork(false)
        }
        return sent
    }

    private func transfer(_ range: Range<Int64>, of body: BlobFile) -> EventLoopFuture<Void> {
        body.file.withDescriptor { descriptor in
            let file = SendFile(descriptor: descriptor, range: range, noteDamage: body.blob.noteDamage)
            return files.start(file, context) { [context] in context.writeAndFlush(NIOAny($0), promise: $1) }
        }
    }
}

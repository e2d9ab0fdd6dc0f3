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
    /// ``HotDownloads/countSent(_:)`` after this connection's last body of ``HotDownload/shortestFile`` or more.
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
        if let file = body?.file, let body, body.bytes.map({ isCopyCold($0.readableBytes) }) ?? true {
            send(head, file, body.size)
        } else {
            send(head, body?.bytes)
        }
    }

    /// Whether the memory for a copy of a body is likely not in the processor's cache.
    ///
    /// The kernel copies a body to memory that the client has read, and reads it from there once more. With few active
    /// connections that memory is in the cache, and copying takes half the time of `sendfile`, which looks after each
    /// page. With many it takes longer. What was sent to all since this connection's last body is about as much as is on
    /// the way.
    private func isCopyCold(_ size: Int) -> Bool {
        guard output.isDirect, size >= HotDownload.shortestFile else { return false }
        let count = downloads.countSent(size)
        defer { lastCount = count }
        return lastCount.map { count - $0 > HotDownloadOutput.cacheSize } ?? false
    }

    /// The number of bytes of which copies stay in the cache; measured with bodies of 100 KB on 64 and on 128
    /// connections.
    private static let cacheSize = 8 << 20

    private func send(_ head: ByteBuffer, _ body: ByteBuffer?) -> EventLoopFuture<Void>? {
        guard !output.send(head, body) else { return nil }
        let size = head.storageCapacity + (body?.storageCapacity ?? 0)
        downloads.pending(size)
        let sent = output.sentAll()
        sent.assumeIsolated().whenComplete { [downloads] _ in downloads.pending(-size) }
        return sent
    }

    private func send(_ head: ByteBuffer, _ body: BlobFile, _ size: Int64) -> EventLoopFuture<Void>? {
        // Of a larger file the socket often accepts only a part, whose last segment would not be full.
        let isShort = size <= HotDownload.longestInMemory
        let count = isShort ? body.file.withDescriptor { output.send(head, before: $0, size) } : nil
        guard count != size else { return nil }
        output.noteWrite()
        // Segments are full, and the head is in the first one, although the socket accepts the file in parts.
        context.channel.setCork(true)
        if count == nil { context.write(NIOAny(IOData.byteBuffer(head)), promise: nil) }
        let sent = transfer((count ?? 0)..<size, of: body)
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

internal import Domain
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTPTypes

/// The answer of ``HotDownloads`` to a request of HTTP/2, sent on the connection's event loop without a route.
///
/// What ``HotDownloadHandler`` does for HTTP/1.1, except that NIO has parsed the request.
struct HotStreamAnswer {
    /// Writes a part of the response.
    typealias Write = (HTTPResponsePart, EventLoopPromise<Void>?) -> Void

    private let request: SimpleRequest
    private let download: HotDownload
    private let downloads: HotDownloads
    private let services: ConnectionServices
    private let start: NIODeadline
    /// Whether the client has the bytes already.
    private let isUnchanged: Bool

    /// Finds a prepared response; `nil` if a route must answer.
    ///
    /// - Parameters:
    ///   - head: The head of a request without a body.
    ///   - services: The prepared responses, and their log.
    init?(to head: HTTPRequest, _ services: ConnectionServices) {
        start = .now()
        guard let downloads = services.hotDownloads,
            let request = SimpleRequest(head, noting: services.log.forwardingField),
            !downloads.isCongested, let download = downloads.find(request.target, at: start)
        else { return nil }
        self.request = request
        self.download = download
        self.downloads = downloads
        self.services = services
        isUnchanged = download.isUnchanged(for: request.tags)
    }

    private var hasBody: Bool { !request.isHead && !isUnchanged }

    /// Whether the response keeps a file open until the client has taken it: that of a body that is not in memory.
    var holdsFile: Bool { hasBody && download.bytes == nil && download.file != nil }

    /// Sends the response.
    ///
    /// - Parameters:
    ///   - context: The handler that sends, on its event loop.
    ///   - write: Writes a part from there.
    func send(_ context: ChannelHandlerContext, _ write: @escaping Write) {
        let log = services.log
        let entry = log.begin(
            request,
            at: start,
            download,
            isUnchanged: isUnchanged,
            from: context.channel.remoteAddress
        )
        write(.head(download.response(isUnchanged: isUnchanged, id: entry.id, date: downloads.date)), nil)
        let ended = context.eventLoop.makePromise(of: Void.self)
        var size = 0
        if hasBody {
            if let bytes = download.bytes {
                size = bytes.readableBytes
                write(.body(bytes), nil)
            } else if let file = download.file {
                send(file, context, write, ended)
                ended.futureResult.assumeIsolated().whenComplete { result in
                    log.end(entry, at: .now(), isComplete: (try? result.get()) != nil)
                }
                return
            }
        }
        downloads.pending(size)
        ended.futureResult.assumeIsolated().whenComplete { [downloads] result in
            downloads.pending(-size)
            log.end(entry, at: .now(), isComplete: (try? result.get()) != nil)
        }
        write(.end(nil), ended)
        context.flush()
    }

    private func send(
        _ body: BlobFile,
        _ context: ChannelHandlerContext,
        _ write: @escaping Write,
        _ ended: EventLoopPromise<Void>
    ) {
        context.flush()
        let sent = body.file.withDescriptor { descriptor in
            let range = SendFile(descriptor: descriptor, range: 0..<download.size, noteDamage: body.blob.noteDamage)
            return services.files.start(range, context) { data, sent in
                guard case .byteBuffer(let bytes) = data else {
                    sent.fail(ChannelError.operationUnsupported)
                    return
                }
                write(.body(bytes), sent)
                context.flush()
            }
        }
        sent.assumeIsolated().whenComplete { [downloads, request, logger = services.log.logger] result in
            // The descriptor had to stay open until now.
            withExtendedLifetime(body) {}
            switch result {
            case .success:
                write(.end(nil), ended)
                context.flush()
            case .failure(let error):
                if let failure = FailedRead(error) {
                    body.blob.noteDamage()
                    downloads.remove(target: request.target)
                    failure.report(to: logger)
                }
                // Resets the stream after every error: its response would have no end.
                if context.channel.isActive { context.close(promise: nil) }
                ended.fail(error)
            }
        }
    }
}

extension SimpleRequest {
    /// A request of HTTP/2 without a body, if its response depends on nothing but its target, its method and
    /// `If-None-Match`; else `nil`.
    ///
    /// - Parameters:
    ///   - head: The head, which ``StreamRules`` accepted.
    ///   - field: The field whose lines ``forwarded`` gets; `nil` for none.
    init?(_ head: HTTPRequest, noting field: TrustedProxies.Field?) {
        // Strings are equal by Unicode equivalence, keys by their bytes: two files can have equal targets.
        guard head.method == .get || head.method == .head, let target = head.path, target.utf8.allSatisfy({ $0 < 0x80 })
        else { return nil }
        var tags: String?
        var forwarded: [String] = []
        for line in head.headerFields {
            switch line.name {
            case .range, .ifRange, .ifMatch, .ifModifiedSince, .ifUnmodifiedSince, .expect, .trailer, .contentLength:
                return nil
            case .ifNoneMatch:
                guard tags == nil else { return nil }
                tags = line.value
            case let name where field.map { name.canonicalName == $0.rawValue.lowercased() } ?? false:
                forwarded.append(line.value)
            default: break
            }
        }
        self.init(isHead: head.method == .head, target: target, tags: tags, length: 0, forwarded: forwarded)
    }
}

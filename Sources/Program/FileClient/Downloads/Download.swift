internal import Synchronization

/// One download: what has arrived, over all its requests.
///
/// It takes no more bytes than the file has by its record, or by the server's first response.
final class Download: Sendable {
    private struct State {
        var offset: Int64
        var etag: String?
        /// The number of bytes of the file, as the server announces it.
        var size: Int64?
        /// The response whose bytes are written; later bytes of the same response need no check.
        var hasBegun = false
    }

    let target: any DownloadTarget
    private let state: Mutex<State>
    private let expectedSize: Int64?
    private let maxUnannouncedSize: Int64

    /// - Parameters:
    ///   - target: Where the bytes go.
    ///   - expectedSize: The number of bytes of the file; `nil` if it is unknown.
    ///   - maxUnannouncedSize: The maximum number of bytes of a file whose size also the server does not announce.
    /// - Throws: ``FileClientError`` if the bytes of an earlier attempt cannot be used.
    init(to target: any DownloadTarget, expectedSize: Int64?, maxUnannouncedSize: Int64) throws {
        self.target = target
        self.expectedSize = expectedSize
        self.maxUnannouncedSize = maxUnannouncedSize
        let (offset, etag) = try target.begin()
        state = Mutex(State(offset: offset, etag: etag))
    }

    /// The number of bytes that are written.
    var offset: Int64 { state.withLock { $0.offset } }

    /// The ETag of the file with its quotation marks; `nil` before the first response, or without one.
    var etag: String? { state.withLock { $0.etag } }

    /// The headers that request the rest only, if the file is still the same; empty at the beginning.
    var rangeHeaders: [String] {
        state.withLock { state in
            state.hasBegun = false
            guard state.offset > 0, let etag = state.etag else { return [] }
            return ["Range: bytes=\(state.offset)-", "If-Range: \(etag)"]
        }
    }

    /// Prepares for the body of a 2xx response: behind the bytes that are written, or from the beginning.
    ///
    /// Calls after the first for a response have no effect.
    ///
    /// - Throws: ``FileClientError`` for another range than the requested one, or of a file of another size.
    func begin(_ head: Response) throws {
        try state.withLock { state in
            guard !state.hasBegun else { return }
            if head.status == 206 {
                guard let range = ContentRange(head.headers["content-range"] ?? ""), range.start == state.offset else {
                    throw FileClientError(.unexpectedAnswer, "the server sent another range than the requested one")
                }
                if let known = state.size, let size = range.size, size != known {
                    throw FileClientError(.unexpectedAnswer, "the server announces two sizes for one file")
                }
                state.size = state.size ?? range.size
            } else {
                if state.offset > 0 { try target.restart() }
                state.offset = 0
                state.etag = head.headers["etag"].flatMap { $0.hasPrefix("W/") ? nil : $0 }
                state.size = head.headers["content-length"].flatMap { Int64($0) }
                try target.note(etag: state.etag, size: state.size)
            }
            state.hasBegun = true
        }
    }

    /// Writes the next bytes of the response and returns the number of all bytes that are written.
    ///
    /// - Throws: ``FileClientError``, of kind `damaged` for more bytes than the file has; all are removed then.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
        try state.withLock { state in
            let size = expectedSize ?? state.size
            guard Int64(bytes.count) <= (size ?? maxUnannouncedSize) - state.offset else {
                target.discard()
                let reason =
                    size.map { "more than its \($0) bytes arrive" }
                    ?? "the server does not announce its size, and more than \(maxUnannouncedSize) bytes arrive"
                throw FileClientError(.damaged, reason)
            }
            try target.write(bytes, at: state.offset)
            state.offset += Int64(bytes.count)
            return state.offset
        }
    }

    /// Whether a 416 means that all bytes had arrived before.
    func isComplete(refusedWith range: String?) -> Bool {
        guard let range, range.hasPrefix("bytes */") else { return false }
        return Int64(range.dropFirst("bytes */".count)) == offset
    }
}

/// `Content-Range` of a 206 (RFC 9110 section 14.4).
struct ContentRange {
    /// The offset of the first byte.
    let start: Int64
    /// The size of the file; `nil` if it is unknown.
    let size: Int64?

    /// Parses `bytes 100-199/200`; `nil` for another form.
    init?(_ text: String) {
        guard text.hasPrefix("bytes ") else { return nil }
        let parts = text.dropFirst("bytes ".count).split(separator: "/")
        guard parts.count == 2, let start = parts[0].split(separator: "-").first.flatMap({ Int64($0) }) else {
            return nil
        }
        self.start = start
        size = Int64(parts[1])
    }
}

/// Downloads; every call throws ``FileClientError``, or `CancellationError` if its task is cancelled.
extension FileClient {
    /// Downloads a URL to a file, which appears when all bytes are verified and on the disk.
    ///
    /// Until then the bytes are in `<path>.lcfile-part`. A later call for the same path continues there if the server still
    /// has the same file (`If-Range`). A broken connection is continued within the call. The request has no
    /// credentials.
    ///
    /// - Parameters:
    ///   - url: The URL; redirects are followed.
    ///   - path: The file, which is replaced if it exists.
    ///   - record: The record of the file, if the URL has exactly its bytes: its size and MD5 are compared, and no
    ///     further byte is received.
    ///   - isTemporary: Whether the file is read soon and then removed, so that it need not survive a power failure.
    ///   - progress: Called with the number of received bytes, many times a second, on threads of the client.
    /// - Returns: What was received.
    /// - Throws: ``FileClientError``, of kind `damaged` if the bytes are not those of the record or of the ETag.
    public func download(
        _ url: String,
        to path: String,
        expecting record: FileRecord? = nil,
        isTemporary: Bool = false,
        progress: (@Sendable (_ received: Int64) -> Void)? = nil
    ) async throws -> DownloadedFile {
        try await download(url, to: PartialFile(path, isTemporary: isTemporary), expecting: record, progress)
    }

    /// Downloads a URL to a descriptor, such as that of a pipe, which has all bytes when the call returns.
    ///
    /// The bytes are verified like those of a file, but after they are written.
    ///
    /// - Parameters:
    ///   - url: The URL; redirects are followed.
    ///   - descriptor: Open for writing; not closed.
    ///   - record: The record of the file, as for a download to a file.
    ///   - progress: Called with the number of received bytes.
    /// - Returns: What was received.
    /// - Throws: ``FileClientError``.
    public func download(
        _ url: String,
        descriptor: CInt,
        expecting record: FileRecord? = nil,
        progress: (@Sendable (_ received: Int64) -> Void)? = nil
    ) async throws -> DownloadedFile {
        try await download(url, to: StreamTarget(descriptor: descriptor), expecting: record, progress)
    }

    /// Downloads a URL and computes the digests of its bytes, which are stored nowhere.
    ///
    /// - Parameters:
    ///   - url: The URL; redirects are followed.
    ///   - progress: Called with the number of received bytes.
    /// - Returns: The digests and the number of bytes.
    /// - Throws: ``FileClientError``.
    public func digest(
        at url: String,
        progress: (@Sendable (_ received: Int64) -> Void)? = nil
    ) async throws -> (digest: FileDigest, size: Int64) {
        let target = DigestTarget()
        let file = try await download(url, to: target, expecting: nil, progress)
        return (target.digest(), file.size)
    }

    private func download(
        _ url: String,
        to target: any DownloadTarget,
        expecting record: FileRecord?,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> DownloadedFile {
        let download = try Download(
            to: target,
            expectedSize: record?.size,
            maxUnannouncedSize: options.maxUnannouncedSize
        )
        do {
            let mimeType = try await receive(url, download, progress)
            try await verify(download, url, record)
            try await threads.block { try target.finish() }
            return DownloadedFile(size: download.offset, mimeType: mimeType)
        } catch {
            target.abandon()
            throw error
        }
    }

    /// Receives all bytes, in as many requests as it takes, and returns the media type.
    private func receive(
        _ url: String,
        _ download: Download,
        _ progress: (@Sendable (Int64) -> Void)?
    ) async throws -> String? {
        let target = download.target
        var mimeType: String?
        var failures = 0
        var isDone = false
        while !isDone {
            let start = download.offset
            do {
                let response = try await sendOnce(request(for: url, download, progress))
                // A response without bytes has called nothing.
                try download.begin(response)
                mimeType = response.headers["content-type"]
                isDone = true
            } catch let error as FileClientError {
                if error.status == 416, start > 0 {
                    isDone = download.isComplete(refusedWith: error.contentRange)
                    guard !isDone else { continue }
                    try target.restart()
                    throw error
                }
                failures = download.offset > start ? 1 : failures + 1
                try await waitToRetry(after: error, failures: failures)
            }
        }
        return mimeType
    }

    private func request(
        for url: String,
        _ download: Download,
        _ progress: (@Sendable (Int64) -> Void)?
    ) -> Request {
        var request = Request("GET", url)
        request.headers = download.rangeHeaders
        request.followsRedirects = true
        request.receive = { head, bytes in
            try download.begin(head)
            let received = try download.write(bytes)
            progress?(received)
        }
        return request
    }

    private func verify(_ download: Download, _ url: String, _ record: FileRecord?) async throws {
        var hash = download.etag.map { String($0.filter { $0 != "\"" }) }
        // Other servers, and images that are rendered, have ETags of other kinds.
        if !url.hasPrefix(server + "/") || url.contains("?") || hash?.count != 28 { hash = nil }
        if let size = record?.size, size != download.offset {
            download.target.discard()
            throw FileClientError(.damaged, "\(download.offset) bytes arrived instead of \(size)")
        }
        guard hash != nil || record?.checksum != nil else { return }
        let digest = try await threads.block { try download.target.digest() }
        guard hash == nil || hash == digest.qiniuHash,
            record?.checksum == nil || record?.checksum?.lowercased() == digest.md5
        else {
            download.target.discard()
            throw FileClientError(.damaged, "the received bytes are not those of the file: their hash differs")
        }
    }
}

/// What a download received.
public struct DownloadedFile: Sendable {
    /// The number of bytes of the file, including those of earlier calls.
    public let size: Int64
    /// The media type with its parameters; `nil` if the server named none.
    public let mimeType: String?
}

internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import Synchronization

/// Collects, while a route responds to a request, what the prepared responses to its target need.
///
/// Only a response that every client with the same target gets is prepared: the whole bytes of one stored blob, without
/// `Vary`, for shared caches or by a signature in the target. The route names the file on which the response depends;
/// without it nothing is prepared.
final class HotDownloadPreparation: Sendable {
    private let target: String
    private let path: String
    private let names: [String]
    private let epoch: Int
    private let downloads: HotDownloads
    private let found = Mutex(Found())

    private struct Found {
        var key: FileKey?
        var isImage = false
        var blob: (any OpenBlob)?
    }

    /// - Parameters:
    ///   - target: The target of the request.
    ///   - path: The target's path, for the log.
    ///   - names: The keys of all files that the path can mean, whether or not they exist.
    ///   - epoch: The epoch of the table before the route read anything.
    ///   - downloads: The table.
    init(target: String, path: String, names: [String], epoch: Int, in downloads: HotDownloads) {
        self.target = target
        self.path = path
        self.names = names
        self.epoch = epoch
        self.downloads = downloads
    }

    /// Notes the only file whose record decides about the response, and whether the request is one for an image.
    func depends(on key: FileKey, isImage: Bool) {
        found.withLock { found in
            found.key = key
            found.isImage = isImage
        }
    }

    /// Notes the blob whose bytes are the body.
    func sends(_ blob: any OpenBlob) {
        found.withLock { $0.blob = blob }
    }

    /// Notes that the response is not that of later requests, so that none is prepared.
    func omit() {
        found.withLock { $0.key = nil }
    }

    /// Prepares the responses by the route's response to the request; does nothing if they cannot be prepared.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - app: The app of its file, for the log.
    func finish(_ response: Response, of app: AppID?) async {
        let found = found.withLock { $0 }
        guard let key = found.key, let blob = found.blob, let tag = response.headers[.eTag],
            response.status == .ok, response.headers[.contentLength] == String(blob.size),
            let caching = Self.caching(for: response.headers[.cacheControl] ?? ""), response.headers[.vary] == nil,
            // StreamGate does not check the heads of prepared responses.
            HeadLimit.isShort(response.headers),
            // An error is one of the next request, too, which reports it.
            let body = try? await body(of: blob)
        else { return }
        var response = response
        response.headers[.cacheControl] = caching
        let download = HotDownload(
            response,
            path: path,
            app: app,
            isImage: found.isImage,
            tag: EntityTag(quoted: tag),
            body: body,
            size: blob.size
        )
        downloads.store(download, for: target, dependingOn: names + [key.description], epoch: epoch)
    }

    /// The `Cache-Control` of the prepared responses; `nil` if none is prepared.
    ///
    /// A signed response can be cached until its signature expires. The prepared ones are used for up to
    /// ``HotDownloads/lifetime``, so they say as much less, and the table needs no expiry of its own for them. There are
    /// none for a signature that expires soon.
    private static func caching(for value: String) -> String? {
        if value.hasPrefix("public") { return value }
        let signed = "private, max-age="
        guard value.hasPrefix(signed), let seconds = Int64(value.dropFirst(signed.count)) else { return nil }
        let lifetime = HotDownloads.lifetime.nanoseconds / 1_000_000_000
        return seconds > 2 * lifetime ? "\(signed)\(seconds - lifetime)" : nil
    }

    /// The bytes in the form from which they are sent; `nil` for large ones that are not in a local file.
    private func body(of blob: any OpenBlob) async throws -> HotDownload.Body? {
        if blob.size <= downloads.longestBody {
            let bytes = try await blob.read(at: 0, count: Int(blob.size))
            guard bytes.readableBytes == Int(blob.size) else { return nil }
            return .memory(bytes, bytes.readableBytes < HotDownload.shortestFile ? nil : BlobFile(blob))
        }
        return BlobFile(blob).map { .file($0) }
    }
}

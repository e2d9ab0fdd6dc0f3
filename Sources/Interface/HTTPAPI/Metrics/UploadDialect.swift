internal import Domain
internal import HTTPTypes
internal import NIOHTTP1

/// The dialects by which requests of uploads are counted (docs/uploads.md).
package enum UploadDialect: Int, Sendable, CaseIterable {
    /// `multipart/form-data` to `/files`.
    case form
    /// A raw body to `/files/<name>`.
    case raw
    /// JSON to `/files`: Base64, or the URL of a file on another server.
    case json
    case s3
    /// A form to an `upload_url`: Kodo's and COS's.
    case kodoForm
    case kodoBlocks
    case kodoParts
    case tus

    /// The value of the label.
    package var label: String {
        switch self {
        case .kodoForm: "kodo_form"
        case .kodoBlocks: "kodo_blocks"
        case .kodoParts: "kodo_parts"
        default: "\(self)"
        }
    }

    /// The dialect of a request with bytes or with the end of an upload; `nil` for all other requests.
    init?(_ head: HTTPRequestHead) {
        let path = head.uri.prefix { $0 != "?" }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3).map(Substring.init)
        guard segments.count >= 2, ["1.1", "1"].contains(segments[0]) else { return nil }
        switch (segments[1], head.method) {
        case ("files", .POST): self = UploadDialect.ofFiles(head)
        case ("uploads", .POST), ("uploads", .PATCH): self = .tus
        case ("upload", .POST), ("upload", .PUT):
            switch UploadPath(String(path)).dialect {
            case .object: self = head.method == .PUT ? .s3 : .kodoForm
            case .makeBlock, .putChunk, .makeFile: self = .kodoBlocks
            case .parts: self = .kodoParts
            }
        default: return nil
        }
    }

    private static func ofFiles(_ head: HTTPRequestHead) -> UploadDialect {
        let type = head.headers.first(name: "Content-Type").flatMap { MediaType($0) }
        if type?.description == "multipart/form-data" { return .form }
        // Only a raw file has its credentials in headers (``TunnelResponder``).
        let isTunnelled =
            type?.description == "text/plain"
            && !HTTPField.Name.appID.contains { head.headers.contains(name: $0.rawName) }
        return type?.isJSON ?? false || isTunnelled ? .json : .raw
    }
}

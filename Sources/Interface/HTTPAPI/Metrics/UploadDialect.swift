internal import Domain
internal import HTTPTypes

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
    ///
    /// - Parameters:
    ///   - target: The target of the request.
    ///   - method: Its method.
    ///   - field: The value of a header field; `nil` without it.
    init?(target: String, _ method: RequestMethod, _ field: (HTTPField.Name) -> String?) {
        let path = target.prefix { $0 != "?" }
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3).map(Substring.init)
        guard segments.count >= 2, ["1.1", "1"].contains(segments[0]) else { return nil }
        switch (segments[1], method) {
        case ("files", .post): self = UploadDialect.ofFiles(field)
        case ("uploads", .post), ("uploads", .patch): self = .tus
        case ("upload", .post), ("upload", .put):
            switch UploadPath(String(path)).dialect {
            case .object: self = method == .put ? .s3 : .kodoForm
            case .makeBlock, .putChunk, .makeFile: self = .kodoBlocks
            case .parts: self = .kodoParts
            }
        default: return nil
        }
    }

    private static func ofFiles(_ field: (HTTPField.Name) -> String?) -> UploadDialect {
        let type = field(.contentType).flatMap { MediaType($0) }
        if type?.description == "multipart/form-data" { return .form }
        // Only a raw file has its credentials in headers (``TunnelResponder``).
        let isTunnelled =
            type?.description == "text/plain"
            && !HTTPField.Name.appID.contains { field($0) != nil }
        return type?.isJSON ?? false || isTunnelled ? .json : .raw
    }
}

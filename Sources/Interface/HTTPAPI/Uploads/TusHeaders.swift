internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The headers of tus 1.0.
enum TusHeaders {
    static let version = "1.0.0"
    static let mediaType = "application/offset+octet-stream"
    static let extensions = [
        "creation", "creation-with-upload", "creation-defer-length", "checksum", "checksum-trailer", "expiration",
        "termination", "concatenation", "concatenation-unfinished",
    ]
    /// The supported algorithms; `sha1`, which every client supports, must be the first.
    static let algorithms: [DigestKind] = [.sha1, .md5, .sha256, .crc32]

    static func requireVersion(_ request: Request) throws {
        guard request.headers[.tusResumable] == version else {
            throw DialectError(412, "Tus-Resumable must be \(version).")
        }
    }

    /// The number of bytes in a header; `nil` without the header.
    static func number(_ name: HTTPField.Name, in request: Request) throws -> Int64? {
        guard let text = request.headers[name] else { return nil }
        guard let number = Int64(text), number >= 0, text.utf8.allSatisfy(\.isASCIIAlphanumeric) else {
            throw ServiceError(.badRequest, "\(name.rawName) must be a number of bytes.")
        }
        return number
    }

    /// The headers of every response about an upload.
    static func about(_ upload: UploadHandle, in app: AppServices) async throws -> HTTPFields {
        let stored = upload.stored
        var headers: HTTPFields = [.objectID: stored.id.description]
        if stored.isFinished, stored.kind != .partial {
            headers[.fileURL] = app.presentation.url(ofUpload: stored.key)
        } else {
            headers[.uploadExpires] = stored.expiresAt.httpDate
        }
        return headers
    }
}

extension HTTPField.Name {
    static let tusResumable = known("Tus-Resumable")
    static let tusVersion = known("Tus-Version")
    static let tusExtension = known("Tus-Extension")
    static let tusMaxSize = known("Tus-Max-Size")
    static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
    static let uploadOffset = known("Upload-Offset")
    static let uploadLength = known("Upload-Length")
    static let uploadDeferLength = known("Upload-Defer-Length")
    static let uploadMetadata = known("Upload-Metadata")
    static let uploadConcat = known("Upload-Concat")
    static let uploadChecksum = known("Upload-Checksum")
    static let uploadExpires = known("Upload-Expires")
    static let objectID = known("X-LC-Object-Id")
    static let fileURL = known("X-LC-File-URL")
}

internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The upload that a `POST` describes.
struct TusCreation {
    let announcement: (UploadAnnouncement, pieces: [UploadToken]?)

    init(_ request: Request, by caller: Caller, within limits: UploadLimits) throws {
        let metadata = try TusMetadata(request.headers[.uploadMetadata] ?? "")
        let size = try TusHeaders.number(.uploadLength, in: request)
        let concatenation = request.headers[.uploadConcat] ?? ""
        var announcement = UploadAnnouncement(
            try UploadDescription(try metadata.members, by: caller, within: limits),
            key: metadata.key,
            size: size
        )
        announcement.metadataHeader = request.headers[.uploadMetadata]
        announcement.finishesOnLastByte = true
        if concatenation.hasPrefix("final;") {
            guard size == nil else { throw ServiceError(.badRequest, "A final upload must not have an Upload-Length.") }
            announcement.kind = .final(concatenation)
            self.announcement = (announcement, try TusCreation.pieces(concatenation.dropFirst("final;".count)))
            return
        }
        guard ["", "partial"].contains(concatenation) else {
            throw ServiceError(.badRequest, "Upload-Concat must be partial or final;<URLs>.")
        }
        if concatenation == "partial" { announcement.kind = .partial }
        let isDeferred = request.headers[.uploadDeferLength]
        guard isDeferred == nil || isDeferred == "1", (size == nil) == (isDeferred != nil) else {
            throw ServiceError(.badRequest, "Either Upload-Length or Upload-Defer-Length: 1 is needed.")
        }
        self.announcement = (announcement, nil)
    }

    private static func pieces(_ text: Substring) throws -> [UploadToken] {
        let tokens = text.split(separator: " ").map { $0.split(separator: "/").last.flatMap { UploadToken($0) } }
        guard !tokens.isEmpty, tokens.count <= 100 else {
            throw ServiceError(.badRequest, "Upload-Concat must name 1 to 100 uploads.")
        }
        return try tokens.map { token in
            guard let token else { throw ServiceError(.badRequest, "Upload-Concat must contain URLs of uploads only.") }
            return token
        }
    }
}

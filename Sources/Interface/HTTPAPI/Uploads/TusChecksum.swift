internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// The digest of one request's bytes, in a header or a trailer.
struct TusChecksum: Sendable {
    /// The digests to compute.
    let kinds: Set<DigestKind>
    private let known: AnnouncedDigest?

    init(_ request: Request) throws {
        known = try request.headers[.uploadChecksum].map { try TusChecksum.digest($0) }
        let promised = request.headers[.trailer]?.lowercased().contains("upload-checksum") == true
        // The trailer determines the algorithm only at the end.
        kinds = known.map { [$0.kind] } ?? (promised ? Set(TusHeaders.algorithms) : [])
    }

    /// The digest that the client announced; called after the whole body was read.
    func announced(_ request: Request, on channel: any Channel) async throws -> AnnouncedDigest? {
        if let known { return known }
        guard !kinds.isEmpty else { return nil }
        let trailers = try await RequestTrailers.of(request, on: channel)
        return try trailers?[.uploadChecksum].map { try TusChecksum.digest($0) }
    }

    private static func digest(_ text: String) throws -> AnnouncedDigest {
        let parts = text.split(separator: " ")
        guard parts.count == 2, let kind = DigestKind(rawValue: parts[0].lowercased()),
            TusHeaders.algorithms.contains(kind)
        else {
            let names = TusHeaders.algorithms.map(\.rawValue).joined(separator: ", ")
            throw ServiceError(.badRequest, "Upload-Checksum must be one of \(names) and the digest in Base64.")
        }
        // No bytes have such a digest, so it is a mismatch.
        guard let bytes = [UInt8](base64: parts[1]), bytes.count == kind.size else {
            throw ServiceError(
                .checksumMismatch,
                "Upload-Checksum: the digest of \(kind.rawValue) must be \(kind.size) bytes in Base64."
            )
        }
        return AnnouncedDigest(kind: kind, bytes: bytes)
    }
}

extension DigestKind {
    /// The length of the digest in bytes.
    var size: Int {
        switch self {
        case .crc32: 4
        case .md5: 16
        case .sha1: 20
        case .sha256: 32
        }
    }
}

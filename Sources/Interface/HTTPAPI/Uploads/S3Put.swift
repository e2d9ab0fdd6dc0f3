internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The S3 dialect: one `PUT` with the bytes (protocol/files 2.3).
struct S3Put: Sendable {
    let limits: WireLimits

    func answer(_ request: Request, _ upload: UploadHandle) async throws -> Response {
        try request.headers.requireNoContentCoding(besides: "aws-chunked")
        try request.headers.requireNoContentRange()
        let md5 = try request.headers.announcedDigests
        let isChunked = request.headers.isAWSChunked
        let checksums = try S3Checksums(request.headers, isChunked: isChunked)
        let announced =
            isChunked
            ? request.headers[.known("x-amz-decoded-content-length")].flatMap { Int64($0) } : request.announcedSize
        let record = try await upload.receiveAll(announced: announced, digesting: checksums.kinds) { sink in
            guard isChunked else {
                for try await bytes in request.body { try await sink.append(bytes) }
                return checksums.known.merging(md5) { _, other in other }
            }
            var decoder = AWSChunkDecoder(trailers: checksums.trailerNames)
            for try await bytes in request.body {
                decoder.append(bytes)
                while let data = try decoder.next() { try await sink.append(data) }
            }
            try decoder.finish()
            guard announced ?? sink.received == sink.received else {
                throw ServiceError(.badRequest, "x-amz-decoded-content-length is not the number of bytes received.")
            }
            return try checksums.all(with: decoder.trailers).merging(md5) { _, other in other }
        }
        return Response(status: .ok, headers: [.eTag: record.entityTag, .contentLength: "0"])
    }
}

/// The checksums that newer AWS SDKs send: in headers, or after the bytes in trailers of `aws-chunked`.
///
/// CRC-32C and CRC-64/NVME are ignored, because the server computes neither.
private struct S3Checksums: Sendable {
    /// The checksums in headers.
    private(set) var known: [DigestKind: [UInt8]] = [:]
    /// The kinds of the checksums in trailers.
    private var promised: Set<DigestKind> = []

    private static let kinds: [DigestKind] = [.crc32, .sha1, .sha256]

    init(_ headers: HTTPFields, isChunked: Bool) throws {
        for kind in S3Checksums.kinds {
            guard let text = headers[.known(S3Checksums.name(of: kind))] else { continue }
            known[kind] = try S3Checksums.digest(kind, text)
        }
        guard isChunked, let names = headers[.known("x-amz-trailer")]?.lowercased() else { return }
        let trailers = names.split { $0 == "," || $0 == " " }.map { String($0) }
        promised = Set(S3Checksums.kinds.filter { trailers.contains(S3Checksums.name(of: $0)) })
    }

    /// The kinds of all announced checksums.
    var kinds: Set<DigestKind> { promised.union(known.keys) }

    /// The names of the trailers that have checksums.
    var trailerNames: Set<String> { Set(promised.map { S3Checksums.name(of: $0) }) }

    /// All announced checksums.
    ///
    /// - Parameter trailers: The trailers that have arrived.
    /// - Returns: The checksums by their kinds.
    /// - Throws: ``ServiceError/Code/badRequest`` if a trailer is missing or malformed.
    func all(with trailers: [String: String]) throws -> [DigestKind: [UInt8]] {
        var all = known
        for kind in promised {
            let name = S3Checksums.name(of: kind)
            guard let text = trailers[name] else {
                throw ServiceError(.badRequest, "The trailer \(name) is announced, but missing.")
            }
            all[kind] = try S3Checksums.digest(kind, text)
        }
        return all
    }

    private static func name(of kind: DigestKind) -> String { "x-amz-checksum-\(kind.rawValue)" }

    private static func digest(_ kind: DigestKind, _ text: String) throws -> [UInt8] {
        guard let digest = [UInt8](base64: text), digest.count == kind.size else {
            throw ServiceError(.badRequest, "\(name(of: kind)) must be \(kind.size) bytes in Base64.")
        }
        return digest
    }
}

extension FileRecord {
    /// The entity tag of the file: its MD5 if it is known, which S3 clients compare with theirs.
    fileprivate var entityTag: String {
        "\"\(facts.md5 ?? facts.digest.description)\""
    }
}

extension HTTPFields {
    /// Whether the body uses S3's chunked encoding, with which newer AWS SDKs send checksums after the bytes.
    fileprivate var isAWSChunked: Bool {
        contentCodings.contains("aws-chunked") || self[.known("x-amz-content-sha256")]?.hasPrefix("STREAMING-") == true
    }
}

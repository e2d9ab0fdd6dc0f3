internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The S3 dialect: one `PUT` with the bytes (protocol/files 2.3).
struct S3Put: Sendable {
    let limits: WireLimits

    func answer(_ request: Request, _ upload: UploadHandle) async throws -> Response {
        try request.headers.requireNoContentCoding(besides: "aws-chunked")
        let expected = try request.headers.announcedDigests
        let isChunked = request.headers.isAWSChunked
        let announced =
            isChunked
            ? request.headers[.known("x-amz-decoded-content-length")].flatMap { Int64($0) } : request.announcedSize
        let record = try await upload.receiveAll(announced: announced) { sink in
            guard isChunked else {
                for try await bytes in request.body { try await sink.append(bytes) }
                return expected
            }
            var decoder = AWSChunkDecoder()
            for try await bytes in request.body {
                decoder.append(bytes)
                while let data = try decoder.next() { try await sink.append(data) }
            }
            try decoder.finish()
            guard announced ?? sink.received == sink.received else {
                throw ServiceError(.badRequest, "x-amz-decoded-content-length is not the number of bytes received.")
            }
            return expected
        }
        return Response(status: .ok, headers: [.eTag: record.entityTag, .contentLength: "0"])
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

internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The S3 dialect: one `PUT` with the bytes (protocol/files 2.3).
struct S3Put: Sendable {
    let limits: WireLimits

    func answer(_ request: Request, _ upload: UploadHandle) async throws -> Response {
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
    /// What S3's clients compare with the MD5 they made, if there is one.
    fileprivate var entityTag: String {
        "\"\(facts.md5 ?? facts.digest.description)\""
    }
}

extension HTTPFields {
    /// Whether the body has S3's own chunks in it, as newer AWS SDKs send to have their checksums behind the bytes.
    fileprivate var isAWSChunked: Bool {
        let encoding = self[.contentEncoding]?.lowercased() ?? ""
        return encoding.contains("aws-chunked")
            || self[.known("x-amz-content-sha256")]?.hasPrefix("STREAMING-") == true
    }
}

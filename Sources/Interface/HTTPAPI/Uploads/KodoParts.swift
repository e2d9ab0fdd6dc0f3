internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

/// Kodo v2: numbered parts (protocol/files 2.6).
struct KodoParts: Sendable {
    let bodies: RequestBodies
    let sender: CallerIdentity

    /// `buckets/<bucket>/objects/<key>/uploads[/<uploadId>[/<n>]]`.
    struct Path: Equatable {
        let key: String
        let uploadID: String?
        let number: String?

        /// Parses the path segments after the token.
        ///
        /// The key can contain slashes: C# sends the standard Base64 alphabet unescaped.
        init?(_ segments: [Substring]) {
            guard segments[0] == "buckets", segments[2] == "objects",
                let end = segments.lastIndex(of: "uploads"), end > 2, segments.count - end <= 3
            else { return nil }
            key = segments[3..<end].joined(separator: "/").percentDecoded ?? ""
            uploadID = segments.count > end + 1 ? String(segments[end + 1]) : nil
            number = segments.count > end + 2 ? String(segments[end + 2]) : nil
        }
    }

    func answer(_ path: Path, _ request: Request, _ upload: UploadHandle) async throws -> Response {
        try KodoKey.require(path.key, upload)
        switch (request.method, path.uploadID, path.number) {
        case (.post, nil, nil):
            return JSONValue.object([
                "uploadId": .string(upload.stored.id.description),
                "expireAt": .integer(upload.stored.expiresAt.wholeSeconds),
            ]).response()
        case (.put, let id?, let number?):
            try requireID(id, upload)
            return try await put(number, request, upload)
        case (.post, let id?, nil):
            try requireID(id, upload)
            return try await finish(request, upload)
        case (.delete, let id?, nil):
            try requireID(id, upload)
            try await upload.cancel()
            return JSONValue.object([:]).response()
        default:
            throw ServiceError(.routeNotFound, "There is no such path or method.")
        }
    }

    private func put(_ text: String, _ request: Request, _ upload: UploadHandle) async throws -> Response {
        guard let number = Int(text), (1...10_000).contains(number) else {
            throw DialectError(400, "A part must have a number from 1 to 10000.")
        }
        try request.headers.requireNoContentCoding()
        guard let size = request.announcedSize else {
            throw ServiceError(.lengthRequired, "A part must have a Content-Length.")
        }
        let receipt = try await upload.receivePart(
            number,
            size: size,
            expecting: try request.headers.announcedDigests
        ) { sink in
            for try await bytes in request.body { try await sink.append(bytes) }
        }
        return JSONValue.object([
            "etag": .string(receipt.tag), "md5": .string((receipt.digests[.md5] ?? []).hexadecimal),
        ]).response()
    }

    private func finish(_ request: Request, _ upload: UploadHandle) async throws -> Response {
        try await bodies.text(of: request, from: sender, upTo: bodies.limits.partList) { body in
            KodoKey.answer(try await upload.finish(try listedParts(in: try body.json(), upload)))
        }
    }

    private func listedParts(in body: JSONValue, _ upload: UploadHandle) throws -> [(number: Int, tag: String)] {
        let parts = body.objectValue?["parts"]?.arrayValue ?? []
        // C# sends no parts for an empty file.
        guard (upload.stored.size == 0 ? 0 : 1)...10_000 ~= parts.count else {
            throw DialectError(400, "The body must be {\"parts\":[…]} with 1 to 10000 parts.")
        }
        return try parts.map { part in
            guard let number = part.objectValue?["partNumber"]?.integerValue.flatMap({ Int(exactly: $0) }),
                let tag = part.objectValue?["etag"]?.stringValue
            else { throw DialectError(400, "Each of the parts must have partNumber and etag.") }
            return (number: number, tag: tag)
        }
    }

    private func requireID(_ id: String, _ upload: UploadHandle) throws {
        guard id == upload.stored.id.description else { throw KodoParts.unknownID }
    }

    static let unknownID = DialectError(612, "There is no such uploadId.")
}

internal import Domain
internal import HTTPTypes

extension HTTPFields {
    /// Checks that the bytes of an upload are not coded.
    ///
    /// S3 stores `Content-Encoding` and repeats it in downloads. The server does not: browsers would get compressed bytes
    /// without being told. Call it where a body is bytes of a file; JSON bodies are another matter.
    ///
    /// - Parameter framing: A coding of the dialect that the server decodes; `nil` for none.
    /// - Throws: ``ServiceError/Code/badRequest`` for another coding than `identity` and `framing`.
    func requireNoContentCoding(besides framing: String? = nil) throws {
        let accepted = ["identity", framing].compactMap(\.self)
        guard contentCodings.allSatisfy({ accepted.contains($0) }) else {
            throw ServiceError(
                .badRequest,
                "Content-Encoding must be \(accepted.joined(separator: " or ")); downloads would not repeat another coding."
            )
        }
    }

    /// Checks that a JSON body is not compressed, because the error would otherwise be that of malformed JSON.
    ///
    /// Values that name no compression, such as `utf-8`, are ignored.
    ///
    /// - Throws: ``ServiceError/Code/malformedJSON`` for a body that the header says is compressed.
    func requireNoCompression() throws {
        guard let coding = contentCodings.first(where: HTTPFields.compressions.contains) else { return }
        throw ServiceError(
            .malformedJSON,
            "Content-Encoding \(coding) is not supported for JSON bodies: send the JSON uncompressed."
        )
    }

    /// The codings that change bytes; clients also name a character set, which changes none.
    static let compressions: Set = ["gzip", "x-gzip", "deflate", "br", "zstd", "compress", "x-compress"]

    /// The elements of `Content-Encoding` in lower case.
    var contentCodings: [String] {
        (self[.contentEncoding] ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }
}

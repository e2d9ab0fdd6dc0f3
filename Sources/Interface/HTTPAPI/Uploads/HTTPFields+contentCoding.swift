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

    /// The elements of `Content-Encoding` in lower case.
    var contentCodings: [String] {
        (self[.contentEncoding] ?? "").split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
    }
}

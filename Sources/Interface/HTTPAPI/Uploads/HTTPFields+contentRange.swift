internal import Domain
internal import HTTPTypes

extension HTTPFields {
    /// Checks that the body of a request is not a part of a file, where the request can only have the whole file.
    ///
    /// Stored as the whole, the part would be a file of which the client believes that the rest is there already (RFC
    /// 9110 section 14.5). tus, blocks and parts say in other ways where their bytes belong.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` if there is a `Content-Range`.
    func requireNoContentRange() throws {
        guard !contains(.contentRange) else {
            throw ServiceError(
                .badRequest,
                "Content-Range is not supported: the request must have the whole file. Use tus for a file in pieces."
            )
        }
    }
}

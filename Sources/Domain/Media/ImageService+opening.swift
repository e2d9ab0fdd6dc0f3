extension ImageService {
    /// A source and what it says of itself, held to the limits.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/fileNotFound``.
    func open(_ origin: ImageOrigin, for requester: ImageRequester) async throws -> OpenImage {
        let source = try await bytes(of: origin)
        let header = try await headers.value(for: origin.name(of: "header")) {
            try await renderer.header(of: source, for: requester)
        }
        // The renderer always finds one or throws.
        guard var header else { throw ServiceError(.notAnImage, "The file is not an image that can be read.") }
        header.fileSize = Int(origin.size)
        try settings.limits.checkSource(header.size)
        return OpenImage(header: header, source: source)
    }

    /// The bytes of a source, unless they are too many.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/fileNotFound``.
    func bytes(of origin: ImageOrigin) async throws -> ImageSource {
        let limit = settings.limits.sourceSize
        guard origin.size <= limit else {
            throw ServiceError(
                .imageTooLarge,
                "The file has \(origin.size) bytes; images over \(limit) are not processed (images.maxSourceSize)."
            )
        }
        return try await ImageSource(try await origin.open())
    }
}

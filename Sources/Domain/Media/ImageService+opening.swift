extension ImageService {
    /// Opens a source and reads its header; checks both against the limits.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/fileNotFound``.
    func open(_ origin: ImageOrigin, for requester: ImageRequester) async throws -> ImageInput {
        let blob = try await blob(of: origin)
        var bytes = try await ImageBytes(blob)
        let header = try await headers.value(for: origin.name(of: "header")) {
            if case .local(let source) = bytes { return try await renderer.header(of: source, for: requester) }
            let (header, source) = try await remoteHeader(of: blob, for: requester)
            if let source { bytes = .local(source) }
            return header
        }
        // The renderer always returns a header or throws.
        guard var header else { throw ServiceError(.notAnImage, "The file is not an image that can be read.") }
        header.fileSize = Int(origin.size)
        try settings.limits.checkSource(header.size)
        return ImageInput(header: header, bytes: bytes)
    }

    /// The blob of a source, unless it is too large.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/fileNotFound``.
    func blob(of origin: ImageOrigin) async throws -> any OpenBlob {
        let limit = settings.limits.sourceSize
        guard origin.size <= limit else {
            throw ServiceError(
                .imageTooLarge,
                "The file has \(origin.size) bytes; images over \(limit) are not processed (images.maxSourceSize)."
            )
        }
        return try await origin.open()
    }
}

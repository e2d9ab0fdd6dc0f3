extension ImageService {
    /// Opens a source and reads its header; checks both against the limits.
    ///
    /// A file of this machine is closed again when its header was read.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge`` naming the limit, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/imageTimedOut``, ``ServiceError/Code/fileNotFound``.
    func open(_ origin: ImageOrigin, for requester: ImageRequester) async throws -> ImageInput {
        let blob = try await blob(of: origin)
        var bytes = try await ImageBytes(blob)
        let isLocalFile = if case .local(.file) = bytes { true } else { false }
        let header = try await headers.value(for: origin.name(of: "header")) {
            try await readingHeader(of: origin) {
                if case .local(let source) = bytes { return try await renderer.header(of: source, for: requester) }
                let (header, source) = try await remoteHeader(of: blob, for: requester)
                if let source { bytes = .local(source) }
                return header
            }
        }
        // The renderer always returns a header or throws.
        guard var header else { throw ServiceError.notAnImage() }
        header.fileSize = Int(origin.size)
        try settings.limits.checkSource(header.size)
        if isLocalFile { bytes = .closed(origin) }
        return ImageInput(header: header, bytes: bytes)
    }

    /// Reads the header of a source, or its EXIF, unless its header took too long a short time ago.
    ///
    /// - Throws: ``ServiceError/Code/imageTimedOut``, and the errors of the body.
    func readingHeader<Result>(of origin: ImageOrigin, _ read: () async throws -> Result) async throws -> Result {
        let name = origin.name(of: "header")
        if let end = await slowHeaders.value(for: name, loading: { nil }), end > .now {
            throw ServiceError(.imageTimedOut, "The header of the image takes too long to read.")
        }
        do {
            return try await read()
        } catch let error as ServiceError where error.code == .imageTimedOut {
            slowHeaders.remove(name)
            _ = await slowHeaders.value(for: name) { ContinuousClock.now + ImageService.slowHeaderTime }
            throw error
        }
    }

    /// How long a header is not read again after it took too long; short, because another load can have been the reason.
    private static let slowHeaderTime = Duration.seconds(60)

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

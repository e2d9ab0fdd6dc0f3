internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// The common part of the two ways to a file's bytes: its URL and its record.
extension AppServices {
    /// What the query of a URL requests: the file itself, or an image by operators that are not parsed yet.
    func requestedImage(of request: Request) throws -> RequestedImage {
        let chain = try SignedQuery(request.uri.query).rest.flatMap { try ImageRequest.chain(of: $0) }
        return chain.map(RequestedImage.chain) ?? .source
    }

    /// Parses the image request of a URL.
    ///
    /// - Parameters:
    ///   - request: The HTTP request; its query string has the operators, and its host is a name of this server.
    ///   - fileSize: The source's size in bytes.
    /// - Returns: The image request; `nil` without operators.
    /// - Throws: The error for unknown parameters, and for watermarks whose images are private: the signature of one
    ///   file must not show another.
    func imageRequest(of request: Request, fileSize: Int64) async throws -> ImageRequest? {
        guard let query = SignedQuery(request.uri.query).rest else { return nil }
        let context = parsingContext(request, fileSize)
        let imageRequest = try await images.requests.request(query, host: request.head.authority, context: context)
        if let imageRequest { try await requirePublicMarks(of: imageRequest) }
        return imageRequest
    }

    /// Checks that no image of a watermark is private.
    func requirePublicMarks(of imageRequest: ImageRequest) async throws {
        for key in imageRequest.markKeys {
            guard let mark = try await files.record(key), presentation.privacy.isPrivate(mark) else { continue }
            throw ServiceError(
                .badImageRequest,
                "Bad image request: the watermark's image is private; only a named style can use it."
            )
        }
    }

    /// Parses the chain of the style that the request names.
    func imageRequest(chain: String, of request: Request, fileSize: Int64) throws -> ImageRequest {
        try ImageRequest(chain: chain, context: parsingContext(request, fileSize))
    }

    private func parsingContext(_ request: Request, _ fileSize: Int64) -> ImageParsingContext {
        let marks = AppFileResolver(bucket: presentation.bucket, domains: fileDomains, host: request.head.authority)
        return ImageParsingContext(limits: images.settings.limits, ownKey: marks.key(of:), fileSize: fileSize)
    }

    /// Responds with a file of the app, with its derivative, or with a redirect to the file.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: Its context.
    ///   - shown: The file.
    ///   - imageRequest: The image that it requests; `nil` for the file itself.
    ///   - caching: How long clients can cache the response; `nil` for that of the file.
    ///   - disposition: The `Content-Disposition` of a file that a store sends; the caller adds it to other responses.
    /// - Returns: The response.
    /// - Throws: The errors of opening the file and of rendering an image.
    func answer(
        _ request: Request,
        _ context: APIContext,
        with shown: ShownFile,
        imageRequest: ImageRequest?,
        caching: Caching? = nil,
        disposition: @autoclosure () -> String? = nil
    ) async throws -> Response {
        context.notes.note(id)
        let file = shown.file
        let caching = caching ?? shown.caching
        func whole(_ caching: Caching) async throws -> Response {
            let representation = Representation(
                mediaType: file.mediaType,
                size: file.size,
                tag: EntityTag(strong: file.digest.description),
                modified: file.createdAt,
                caching: caching,
                // With operators, the response at this date could have been a derivative.
                isDateStrong: imageRequest == nil,
                digest: file.digest.representationDigest
            )
            if imageRequest == nil,
                let redirect = try await redirect(request, to: shown, representation, disposition())
            {
                return redirect
            }
            return try await representation.response(to: request) { pieces in
                ResponseBody(of: try await files.openShared(file), pieces: pieces, context)
            }
        }
        guard let imageRequest else { return try await whole(caching) }
        let images = ImageAnswer(
            app: self,
            origin: ImageOrigin(file, in: files),
            modified: file.createdAt,
            caching: caching
        )
        return try await images.answer(imageRequest, to: request, context, source: whole)
    }
}

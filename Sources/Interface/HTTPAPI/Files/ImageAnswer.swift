internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Responds to an image request for one source: with an image, with JSON about it, or with the source.
struct ImageAnswer {
    let app: AppServices
    let origin: ImageOrigin
    /// The creation time of the source; `nil` if it can change.
    let modified: Timestamp?
    /// How long clients can cache an image: forever, unless the source can change.
    var caching = Caching.immutable

    /// How many seconds clients can cache a source that they got because of an ignored failure.
    private static let failureLifetime = 60

    /// Creates the response; its work is cancelled when no client waits for it.
    ///
    /// - Parameters:
    ///   - imageRequest: The image request.
    ///   - request: The HTTP request; its method, conditions and range determine the status.
    ///   - context: The context with the client's connection.
    ///   - source: Creates the response with the source itself; its argument is how long clients can cache it.
    /// - Returns: A response with an image or JSON, or the result of `source`.
    /// - Throws: The errors of rendering an image.
    func answer(
        _ imageRequest: ImageRequest,
        to request: Request,
        _ context: APIContext,
        source: (Caching) async throws -> Response
    ) async throws -> Response {
        if let operation = imageRequest.operators.last, operation.isInformation {
            var response = try await information(operation, imageRequest, context)
            if request.method == .head { response.leaveOutBody() }
            return response
        }
        // One URL has several responses only if the client's `Accept` determines the format.
        let isNegotiated = !app.images.names.automatic.isEmpty && !imageRequest.namesFormat && !imageRequest.keepsFormat
        let accepted = isNegotiated ? AcceptedFormats(request.headers[.accept]).among(app.images.names.automatic) : []
        var response =
            switch try await result(imageRequest, accepting: accepted, context) {
            case .source: try await source(caching)
            case .sourceAfterFailure: try await sourceAfterFailure(context, source)
            case .derivative(let derivative): await self.response(derivative, to: request, context)
            }
        if isNegotiated { response.headers[.vary] = "Accept" }
        return response
    }

    /// Responds with the source instead of an image, only for a short time: the next request can get the image.
    private func sourceAfterFailure(
        _ context: APIContext,
        _ source: (Caching) async throws -> Response
    ) async throws -> Response {
        context.preparation?.omit()
        return try await source(caching.atMost(seconds: ImageAnswer.failureLifetime))
    }

    private func result(
        _ imageRequest: ImageRequest,
        accepting formats: [ImageFormat],
        _ context: APIContext
    ) async throws -> ImageResult {
        // A format that suits every image counts as written in the URL, so that both share one cache entry.
        guard let first = formats.first, first.canBeAnimated, first.keepsOrientation,
            let named = imageRequest.naming(first)
        else { return try await result(imageRequest, formats, context) }
        do {
            return try await result(named, [], context)
        } catch let error as ServiceError where error.code == .imageTooLarge {
            // The result can be too large for this format only.
            return try await result(imageRequest, Array(formats.dropFirst()), context)
        }
    }

    private func result(
        _ imageRequest: ImageRequest,
        _ automatic: [ImageFormat],
        _ context: APIContext
    ) async throws -> ImageResult {
        if let cached = try await app.images.cached(imageRequest, of: origin, automatic: automatic) {
            return .derivative(cached)
        }
        return try await required(on: context) { [app, origin, address = context.clientAddress] in
            try await app.images.result(imageRequest, of: origin, automatic: automatic, from: address)
        }
    }

    /// Responds with stored bytes: an image, or a source from another server.
    func response(_ derivative: StoredDerivative, to request: Request, _ context: APIContext) async -> Response {
        let representation = Representation(
            mediaType: derivative.mediaType,
            size: derivative.blob.size,
            tag: EntityTag(strong: derivative.tag),
            modified: modified,
            caching: caching,
            // The same request can have another response later: after a change of settings, with another release, or
            // for another client.
            isDateStrong: false
        )
        return await representation.response(to: request) { pieces in
            ResponseBody(of: derivative.blob, pieces: pieces, context)
        }
    }

    private func information(
        _ operation: ImageOperator,
        _ imageRequest: ImageRequest,
        _ context: APIContext
    ) async throws -> Response {
        let answer = try await required(on: context) { [app, origin, address = context.clientAddress] in
            try await app.images.information(operation, imageRequest, of: origin, from: address)
        }
        guard let answer else {
            return JSONValue.object(["error": .string("no exif data")]).response(status: .badRequest)
        }
        return answer.response()
    }

    private func required<Result: Sendable>(
        on context: APIContext,
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        try await ClientPresence.required(on: context.channel, work)
    }
}

extension ImageRequest {
    /// Whether the result has the source's format regardless of `Accept`, as with `imageslim` alone.
    fileprivate var keepsFormat: Bool {
        if operators.count == 1, case .slim? = operators.first { true } else { false }
    }
}

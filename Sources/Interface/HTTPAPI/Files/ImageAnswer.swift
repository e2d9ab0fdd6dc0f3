internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Answers an image request for one source: an image, JSON about it, or the source itself.
struct ImageAnswer {
    let app: AppServices
    let origin: ImageOrigin
    /// When the source came to be; `nil` if it may change.
    let modified: Timestamp?
    /// How long an image can be cached: for ever, unless the source can change.
    var caching = Caching.immutable

    /// Creates the answer; its work is cancelled when no client waits for it any more.
    ///
    /// - Parameters:
    ///   - imageRequest: The image request.
    ///   - request: Its method, conditions and range decide the status.
    ///   - context: Its connection may close.
    ///   - source: Answers with the source itself.
    /// - Returns: An image, JSON, or what `source` returned.
    /// - Throws: What making an image throws.
    func answer(
        _ imageRequest: ImageRequest,
        to request: Request,
        _ context: APIContext,
        source: () async throws -> Response
    ) async throws -> Response {
        if let operation = imageRequest.operators.last, operation.isInformation {
            var response = try await information(operation, imageRequest, context)
            if request.method == .head { response.leaveOutBody() }
            return response
        }
        // Only if the client's `Accept` decides, one URL has several answers.
        let isNegotiated = !app.images.names.automatic.isEmpty && !imageRequest.namesFormat && !imageRequest.keepsFormat
        var imageRequest = imageRequest
        var automatic = isNegotiated ? AcceptedFormats(request.headers[.accept]).among(app.images.names.automatic) : []
        // A format that every image can have counts as written in the URL, so that both share one cache entry.
        if let first = automatic.first, first.canBeAnimated, let named = imageRequest.naming(first) {
            imageRequest = named
            automatic = []
        }
        var response =
            switch try await result(imageRequest, automatic, context) {
            case .source: try await source()
            case .derivative(let derivative): await self.response(derivative, to: request, context)
            }
        if isNegotiated { response.headers[.vary] = "Accept" }
        return response
    }

    private func result(
        _ imageRequest: ImageRequest,
        _ automatic: [ImageFormat],
        _ context: APIContext
    ) async throws -> ImageResult {
        if let cached = try await app.images.cached(imageRequest, of: origin, automatic: automatic) {
            return .derivative(cached)
        }
        return try await required(on: context) { [app, origin, address = context.channel.clientAddress] in
            try await app.images.result(imageRequest, of: origin, automatic: automatic, from: address)
        }
    }

    /// Answers with stored bytes: an image, or the source itself if it comes from another server.
    func response(_ derivative: StoredDerivative, to request: Request, _ context: APIContext) async -> Response {
        let representation = Representation(
            mediaType: derivative.mediaType,
            size: derivative.blob.size,
            tag: EntityTag(strong: derivative.tag),
            modified: modified,
            caching: caching,
            // The same request can have another answer later: by other settings, another release, for another client.
            isDateStrong: false
        )
        return await representation.response(to: request) { range in
            ResponseBody(of: derivative.blob, range: range, context)
        }
    }

    private func information(
        _ operation: ImageOperator,
        _ imageRequest: ImageRequest,
        _ context: APIContext
    ) async throws -> Response {
        let answer = try await required(on: context) { [app, origin, address = context.channel.clientAddress] in
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
    /// Whether the result has the source's format whatever a client takes, as that of `imageslim` alone has.
    fileprivate var keepsFormat: Bool {
        if operators.count == 1, case .slim? = operators.first { true } else { false }
    }
}

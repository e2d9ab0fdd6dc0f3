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
    ///   - words: The image request.
    ///   - request: Its method, conditions and range decide the status.
    ///   - context: Its connection may close.
    ///   - source: Answers with the source itself.
    /// - Returns: An image, JSON, or what `source` returned.
    /// - Throws: What making an image throws.
    func answer(
        _ words: ImageRequest,
        to request: Request,
        _ context: APIContext,
        source: () async throws -> Response
    ) async throws -> Response {
        if let question = words.operators.last, question.isQuestion {
            var response = try await answer(question, words, context)
            if request.method == .head { response.leaveOutBody() }
            return response
        }
        // Only if the client's `Accept` decides, one URL has several answers.
        let isNegotiated = !app.images.names.automatic.isEmpty && !words.namesFormat && !words.keepsFormat
        var words = words
        var automatic = isNegotiated ? AcceptedFormats(request.headers[.accept]).among(app.images.names.automatic) : []
        // A format that every image can have counts as written in the URL, so that both share one cache entry.
        if let first = automatic.first, first.canBeAnimated, let named = words.naming(first) {
            words = named
            automatic = []
        }
        var response =
            switch try await picture(words, automatic, context) {
            case .source: try await source()
            case .derivative(let made): await self.response(made, to: request, context)
            }
        if isNegotiated { response.headers[.vary] = "Accept" }
        return response
    }

    private func picture(
        _ words: ImageRequest,
        _ automatic: [ImageFormat],
        _ context: APIContext
    ) async throws -> ImagePicture {
        if let kept = try await app.images.kept(words, of: origin, automatic: automatic) { return .derivative(kept) }
        return try await required(on: context) { [app, origin, address = context.channel.clientAddress] in
            try await app.images.picture(words, of: origin, automatic: automatic, from: address)
        }
    }

    /// Answers with stored bytes: an image, or the source itself if it comes from another server.
    func response(_ made: StoredDerivative, to request: Request, _ context: APIContext) async -> Response {
        let representation = Representation(
            mediaType: made.mediaType,
            size: made.blob.size,
            tag: EntityTag(strong: made.tag),
            modified: modified,
            caching: caching,
            // The same request can have another answer later: by other settings, another release, for another client.
            isDateStrong: false
        )
        return await representation.response(to: request) { range in
            ResponseBody(of: made.blob, range: range, context)
        }
    }

    private func answer(
        _ question: ImageOperator,
        _ words: ImageRequest,
        _ context: APIContext
    ) async throws -> Response {
        let answer = try await required(on: context) { [app, origin, address = context.channel.clientAddress] in
            try await app.images.answer(question, words, of: origin, from: address)
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

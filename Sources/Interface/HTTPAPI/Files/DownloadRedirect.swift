internal import Domain
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore

/// Redirects of downloads to the store of the blobs (docs/redirects.md).
extension AppServices {
    /// Whether some requests for a file get a redirect; then none of its responses is prepared.
    func canRedirect(_ shown: ShownFile) -> Bool {
        redirects.include(shown.file, isPrivate: shown.isPrivate)
            // The store sends neither a sandbox nor `nosniff`.
            && shown.file.mediaType.isPassive
    }

    /// The redirect to a file's bytes; `nil` if the server sends them.
    ///
    /// - Parameters:
    ///   - request: The request for the file itself, which is allowed to get it.
    ///   - shown: The file.
    ///   - representation: The response of this server.
    ///   - disposition: The `Content-Disposition` of the response.
    /// - Returns: The redirect.
    /// - Throws: The errors of opening the file.
    func redirect(
        _ request: Request,
        to shown: ShownFile,
        _ representation: Representation,
        _ disposition: String?
    ) async throws -> Response? {
        guard canRedirect(shown), representation.canBeElsewhere(for: request),
            let seconds = representation.caching.seconds
        else { return nil }
        let periods = redirects.periods(at: .now(), cachedFor: seconds)
        guard !periods.isEmpty, let blob = try await files.remote(shown.file) else { return nil }
        for period in periods {
            let fields = RemoteBlobFields(
                contentType: representation.mediaType.headerValue,
                cacheControl: representation.caching.steady(for: period.life).headerValue,
                contentDisposition: disposition
            )
            guard let url = blob.url(fields, period) else { continue }
            let headers: HTTPFields = [
                .location: url,
                .cacheControl: representation.caching.atMost(seconds: period.cacheSeconds).headerValue,
                .accessControlAllowOrigin: "*",
            ]
            return Response(status: .found, headers: headers)
        }
        return nil
    }
}

extension Representation {
    /// Whether the client can get these bytes from a store that knows neither this tag nor this date.
    ///
    /// The URL of the store is for `GET`. Clients repeat the header fields of the request there, so these must not have
    /// credentials, and none that the store would understand differently.
    func canBeElsewhere(for request: Request) -> Bool {
        request.method == .get && !request.headers.canHaveCredentials && !isNamed(by: request.headers)
            // S3 has no multipart/byteranges.
            && request.headers[.range]?.contains(",") != true
    }

    /// Whether a condition has the tag or the date that this server sends; others can be those of the store.
    private func isNamed(by headers: HTTPFields) -> Bool {
        let tags: [HTTPField.Name] = [.ifMatch, .ifNoneMatch, .ifRange]
        let dates: [HTTPField.Name] = [.ifModifiedSince, .ifUnmodifiedSince, .ifRange]
        return tags.contains { headers[$0].map { tag.isAmong($0, comparison: .weak) } ?? false }
            || dates.contains { modified?.isNamed(by: headers[$0]) ?? false }
    }
}

extension Caching {
    /// For how many seconds clients can cache a response; `nil` if no response of another URL can stand for it.
    fileprivate var seconds: Int? {
        switch self {
        case .immutable: 31_536_000
        case .limited(let seconds), .signed(let seconds): seconds
        case .personal, .never: nil
        }
    }

    /// The same, but equal at different times before a signature expires, so that the URL with it is equal.
    fileprivate func steady(for seconds: Int) -> Caching {
        if case .signed = self { atMost(seconds: seconds) } else { self }
    }
}

internal import Domain
internal import Hummingbird

/// The file that a request gets, and how long clients can cache it.
struct ShownFile {
    let file: ServedFile
    /// The key in the URL; another than that of an image that is shown instead of a blocked file.
    let key: FileKey
    /// Whether the URL needs a signature.
    let isPrivate: Bool
    var caching: Caching
}

extension AppServices {
    /// The file of a key, or the image that is shown instead of a blocked one.
    ///
    /// - Throws: ``ServiceError/Code/blocked`` for a blocked file, if the app has no image for that.
    func shown(_ key: FileKey) async throws -> ShownFile? {
        do {
            return try await files.find(key).map(shown)
        } catch let error as ServiceError where error.code == .blocked {
            return try await placeholder(for: key, error)
        }
    }

    /// As ``shown(_:)``, for a file that is found in another way.
    func shown(_ key: FileKey, _ find: () async throws -> ServedFile) async throws -> ShownFile {
        do {
            let file = try await find()
            try files.requireOpen(file)
            return shown(file)
        } catch let error as ServiceError where error.code == .blocked {
            return try await placeholder(for: key, error)
        }
    }

    private func shown(_ file: ServedFile) -> ShownFile {
        // An image can be blocked after it was sent; browsers and CDNs would show it for a year.
        let canBeBlocked = file.canBeImage && files.policy.settings.isAutomatic
        let most = files.policy.settings.cacheSeconds
        return ShownFile(
            file: file,
            key: file.key,
            isPrivate: presentation.privacy.isPrivate(file),
            caching: canBeBlocked ? Caching.immutable.atMost(seconds: most) : .immutable
        )
    }

    private func placeholder(for key: FileKey, _ error: ServiceError) async throws -> ShownFile {
        guard let file = try await files.placeholder() else { throw error }
        return ShownFile(file: file, key: key, isPrivate: false, caching: .never)
    }

    /// The file, if the request is allowed to get it, or an image of it.
    ///
    /// - Parameters:
    ///   - shown: The file.
    ///   - image: What the request asks for.
    ///   - request: The request; its URL can have a signature.
    ///   - reader: Whose right to read the file's record has been checked; `nil` for a request that has only its URL.
    /// - Returns: The file, which no shared cache stores if the signature was needed.
    /// - Throws: ``ServiceError/Code/unsignedURL``.
    func permitted(
        _ shown: ShownFile,
        _ image: RequestedImage,
        _ request: Request,
        to reader: Caller? = nil
    ) throws -> ShownFile {
        let now = Timestamp.now()
        let expiry = try presentation.privacy.permit(
            image,
            of: shown.key,
            isPrivate: shown.isPrivate,
            SignedQuery(request.uri.query),
            to: reader,
            at: now
        )
        guard let expiry else { return shown }
        var shown = shown
        shown.caching = shown.caching.signed(seconds: Int(expiry.wholeSeconds - now.wholeSeconds))
        return shown
    }
}

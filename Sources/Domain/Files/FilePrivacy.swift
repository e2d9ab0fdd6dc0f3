/// Which URLs of an app's files need a signature, and the signatures (docs/private-files.md).
package struct FilePrivacy: Sendable {
    /// Which file URLs need a signature.
    package let access: FileAccess
    /// Which image URLs need one of their own.
    package let images: ImageAccess
    /// The minimum life in seconds of the URLs in records; also the maximum for callers without the master key.
    package let life: Int
    private let signatures: URLSignatures?

    /// The maximum life in seconds of a URL that the master key requests: ten years.
    package static let longestLife = 10 * 366 * 86_400

    /// All URLs are public, and none can be signed.
    package static let open = FilePrivacy(access: .public, images: .any, life: 1, signatures: nil)

    /// Creates the settings of an app.
    package init(access: FileAccess, images: ImageAccess, life: Int, signatures: URLSignatures?) {
        self.access = access
        self.images = images
        self.life = life
        self.signatures = signatures
    }

    /// Whether the URL of a file needs a signature.
    package func isPrivate(_ file: ServedFile) -> Bool {
        access == .private || access == .acl && file.hasPrivateACL
    }

    /// The signature as parameters of a query.
    ///
    /// - Parameters:
    ///   - key: The file's key.
    ///   - image: What the URL requests. ``RequestedImage/source`` permits the images of the file, too, as far as these
    ///     need no signature of their own: who has the bytes can render any of them.
    ///   - expires: When the URL ends.
    /// - Returns: `e=1767225600&token=…`; `nil` without keys.
    package func parameters(for key: FileKey, _ image: RequestedImage = .source, until expires: Timestamp) -> String? {
        guard let expires = UnixSeconds(String(expires.wholeSeconds)) else { return nil }
        return signatures?.signature(of: key, image, expires: expires).map { "e=\(expires.value)&token=\($0)" }
    }

    /// The expiry of a URL in a record: at least ``life`` from now.
    ///
    /// It stays the same for a quarter of this time, so that clients find an image that they have in their caches,
    /// which know it by its URL.
    package func expiry(at now: Timestamp) -> Timestamp {
        let step = Int64(max(1, life / 4))
        let last = now.wholeSeconds + Int64(life)
        return Timestamp(milliseconds: (last / step + 1) * step * 1000)
    }

    /// Checks the life that a caller requests for a URL.
    ///
    /// - Parameters:
    ///   - seconds: The life from the request; without one that of URLs in records.
    ///   - now: The current time.
    ///   - caller: The caller; only the master key gets a longer life than that of URLs in records.
    /// - Returns: The expiry.
    /// - Throws: ``ServiceError/Code/badRequest`` naming the limit.
    package func expiry(in seconds: JSONValue?, at now: Timestamp, for caller: Caller) throws -> Timestamp {
        guard let seconds, seconds != .null else { return expiry(at: now) }
        let most = caller.isMaster ? FilePrivacy.longestLife : life
        guard case .integer(let number) = seconds, 1...Int64(most) ~= number else {
            let limit = caller.isMaster ? "" : ", the limit without the master key (files.urlLifetime)"
            throw ServiceError(.badRequest, "expiresIn must be a number of seconds from 1 to \(most)\(limit).")
        }
        return Timestamp(milliseconds: (now.wholeSeconds + number) * 1000)
    }

    /// Whether the URL that a caller requests needs a signature, for a caller who is allowed to read the file's record.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired`` for operators of the caller's choice, if strangers are not
    ///   allowed to choose them.
    package func needsSignature(_ image: RequestedImage, isPrivate: Bool, by caller: Caller) throws -> Bool {
        let isRestricted = images.isRestricted(image)
        if isRestricted, case .chain = image, !caller.isMaster {
            throw ServiceError(
                .masterKeyRequired,
                "Only the master key signs operators while images.access is \(images.rawValue); use a named style."
            )
        }
        return isPrivate || isRestricted
    }

    /// Checks that a request is allowed to get a file or an image of it.
    ///
    /// - Parameters:
    ///   - image: What the request asks for.
    ///   - key: The key in the URL.
    ///   - isPrivate: Whether the file is private.
    ///   - query: The query of the URL.
    ///   - reader: Whose right to read the file's record has been checked; `nil` for a request that has only its URL.
    ///   - now: The current time.
    /// - Returns: The expiry of the signature, if the request needed it; `nil` if it needed none.
    /// - Throws: ``ServiceError/Code/unsignedURL`` if the signature is missing, wrong, of something else, or expired.
    package func permit(
        _ image: RequestedImage,
        of key: FileKey,
        isPrivate: Bool,
        _ query: SignedQuery,
        to reader: Caller?,
        at now: Timestamp
    ) throws -> Timestamp? {
        let isPrivate = isPrivate && reader == nil
        let isRestricted = images.isRestricted(image) && !(reader?.isMaster ?? false)
        guard isPrivate || isRestricted else { return nil }
        guard let signature = query.signature, let expires = query.expires else {
            throw ServiceError(.unsignedURL, "This URL needs a signature: 'e' and 'token' are missing or malformed.")
        }
        let signed = isRestricted ? [image] : [image, .source]
        guard signed.contains(where: { isValid(signature, of: key, $0, expires) }) else {
            guard isRestricted, isValid(signature, of: key, .source, expires) else {
                throw ServiceError(.unsignedURL, "The signature of this URL is wrong.")
            }
            throw ServiceError(
                .unsignedURL,
                "The signature of this URL is that of the file; the image needs one of its own (images.access)."
            )
        }
        guard expires.value > now.wholeSeconds else {
            throw ServiceError(.unsignedURL, "The signature of this URL has expired.")
        }
        return Timestamp(milliseconds: expires.value * 1000)
    }

    /// Checks that an image needs no signature.
    ///
    /// - Throws: ``ServiceError/Code/unsignedURL``.
    package func requireUnrestricted(_ image: RequestedImage, to reader: Caller?) throws {
        guard !images.isRestricted(image) || reader?.isMaster ?? false else {
            throw ServiceError(
                .unsignedURL,
                "Images of files on other servers need the master key here (images.access)."
            )
        }
    }

    private func isValid(_ signature: String, of key: FileKey, _ image: RequestedImage, _ expires: UnixSeconds) -> Bool
    {
        signatures?.areValid(signature, of: key, image, expires: expires) ?? false
    }
}

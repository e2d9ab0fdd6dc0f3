internal import Crypto
internal import NIOCore

/// Reads the files that are checked.
extension FileChecks {
    /// The content of a file to check.
    enum Subject: Sendable {
        /// An image, made of bytes with a version.
        case image(CheckedImage, version: String)
        /// No image for the checkers: the verdict, and the version of the bytes.
        case decided(Opinion, version: String)
    }

    /// Errors of the image itself, which another attempt would only repeat.
    private static let final: Set<ServiceError.Code> = [.notAnImage, .imageTooLarge]

    /// Errors for a file on another server that is larger than this server fetches, and so never shows.
    static let tooLarge: Set<ServiceError.Code> = [.imageTooLarge, .payloadTooLarge]

    /// The version of bytes that this server cannot have: those of a file that is too large.
    private static let noVersion = ""

    /// The source of a file's image, here or on another server.
    ///
    /// - Throws: ``ServiceError/Code/fileNotFound`` if it has no bytes; errors of fetching it.
    func origin(of record: StoredObject) async throws -> ImageOrigin {
        switch FileLocation(of: record) {
        case .here(let key)?:
            guard record.mirrorState != .missing, let file = try await files.record(key) else {
                throw FileService.notFound
            }
            return ImageOrigin(file, in: files)
        case .elsewhere(let url, _)?:
            return try await remoteImages.origin(of: url, for: nil).0
        case nil:
            throw FileService.notFound
        }
    }

    /// The version of a file's bytes that a person can see now; `nil` if they are not cached, and for a file of this
    /// server, whose bytes do not change.
    func shownVersion(of record: StoredObject) async -> String? {
        guard case .elsewhere(let url, _)? = FileLocation(of: record) else { return nil }
        return await remoteImages.cachedVersion(of: url)
    }

    /// The digest of a file's bytes and the hash of its image, by which copies are found; the hash is `nil` if the
    /// image cannot be read, or has too little structure.
    func fingerprint(of record: StoredObject) async throws -> (digest: String, hash: PerceptualHash?) {
        let origin = try await self.origin(of: record)
        let digest = try await FileChecks.digest(of: origin)
        do {
            let hash = try await images.samples(of: origin, atMost: 1).frames.first?.hash
            return (digest, hash.flatMap { $0.quality >= PerceptualHash.usefulQuality ? $0 : nil })
        } catch let error as ServiceError where FileChecks.final.contains(error.code) {
            return (digest, nil)
        }
    }

    /// Reads a file for the checkers.
    func subject(of record: StoredObject) async throws -> Subject {
        let origin: ImageOrigin
        do {
            origin = try await self.currentOrigin(of: record)
        } catch let error as ServiceError where FileChecks.tooLarge.contains(error.code) {
            let verdict: Verdict = CheckedFile.isDeclaredImage(record) ? .review : .passed
            return .decided(Opinion(verdict, error.message), version: FileChecks.noVersion)
        }
        var samples: ImageSamples?
        var damage: String?
        do {
            samples = try await images.samples(of: origin, atMost: limits.frames)
        } catch let error as ServiceError where FileChecks.final.contains(error.code) {
            if error.code == .notAnImage, try await isOtherFile(origin, record) {
                return .decided(Opinion(.passed, "The file is not an image."), version: origin.version)
            }
            damage = error.message
        }
        let image = CheckedImage(
            id: record.id,
            name: record.fields["name"]?.stringValue ?? "",
            mediaType: record.fields["mime_type"]?.stringValue,
            size: origin.size,
            digest: try await FileChecks.digest(of: origin),
            samples: samples?.frames ?? [],
            hasUnreadFrames: samples?.hasUnreadFrames ?? false,
            damage: damage
        )
        return .image(image, version: origin.version)
    }

    /// The source of a file's image; a copy from another server is fetched again if a client got other bytes than those
    /// that were checked, and the copy has these.
    private func currentOrigin(of record: StoredObject) async throws -> ImageOrigin {
        let origin = try await self.origin(of: record)
        guard case .elsewhere(let url, _)? = FileLocation(of: record), record.verdict == .pending,
            record.checkedVersion == origin.version
        else { return origin }
        try await remoteImages.forget(url)
        return try await self.origin(of: record)
    }

    /// Whether a file on another server that cannot be decoded is no image at all: neither its record nor the other
    /// server nor its first bytes say that it is one.
    private func isOtherFile(_ origin: ImageOrigin, _ record: StoredObject) async throws -> Bool {
        guard CheckedFile.isElsewhere(record), !CheckedFile.isDeclaredImage(record) else { return false }
        return try await !remoteImages.isImage(origin)
    }

    private static func digest(of origin: ImageOrigin) async throws -> String {
        let blob = try await origin.open()
        var hash = SHA256()
        for try await piece in blob.pieces(of: 0..<blob.size) {
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        }
        return hash.finalize().hexadecimal
    }
}

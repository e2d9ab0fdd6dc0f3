internal import Crypto
internal import NIOCore

/// Checks one file: reads its image, and asks the checkers in turn.
package struct FileChecks: Sendable {
    /// What a check led to.
    package enum Outcome: Sendable, Hashable {
        /// A verdict.
        case decided(Opinion, checker: String?)
        /// A webhook answers later; the scores are those of the checkers before it.
        case awaiting(scores: [String: Double])
    }

    private let files: FileService
    private let images: ImageService
    private let remoteImages: RemoteImages
    private let checkers: [any Checker]
    private let limits: CheckLimits

    /// - Parameters:
    ///   - files: The app's files.
    ///   - images: Decodes images within its limits.
    ///   - remoteImages: Fetches files from other servers.
    ///   - checkers: The chain, in its order.
    ///   - limits: The limits of checks.
    package init(
        files: FileService,
        images: ImageService,
        remoteImages: RemoteImages,
        checkers: [any Checker],
        limits: CheckLimits
    ) {
        self.files = files
        self.images = images
        self.remoteImages = remoteImages
        self.checkers = checkers
        self.limits = limits
    }

    /// Asks the checkers about a file.
    ///
    /// A rejection ends the chain; otherwise the last checker with an opinion decides. Without an opinion a person has to,
    /// for example about a file that is not an image or exceeds the limits on images.
    ///
    /// - Parameters:
    ///   - record: The file's record.
    ///   - settings: The app's settings.
    /// - Returns: The outcome.
    /// - Throws: Errors that can pass; ``ServiceError/Code/fileNotFound`` if the file's bytes do not exist any more.
    package func check(_ record: StoredObject, under settings: CensorSettings) async throws -> Outcome {
        // Limited like each checker, because another server can send the file slowly: the lease is longer than all.
        var image = try await TimeLimit.run(.seconds(limits.timeout), "Reading the image") {
            try await self.image(of: record)
        }
        var reasons = [image.damage].compactMap(\.self)
        var last: (opinion: Opinion, checker: String)?
        for checker in checkers {
            let result = try await TimeLimit.run(.seconds(limits.timeout), "The checker \(checker.name)") { [image] in
                try await checker.check(image, under: settings)
            }
            switch result {
            case .none(let reason): if let reason { reasons.append(reason) }
            case .later: return .awaiting(scores: image.scores)
            case .opinion(var opinion):
                image.scores.merge(opinion.scores) { _, new in new }
                opinion.scores = image.scores
                last = (opinion, checker.name)
            }
            if last?.opinion.verdict == .rejected { break }
        }
        if let last { return .decided(last.opinion, checker: last.checker) }
        return .decided(Opinion(.review, reasons.first ?? "No checker is set up.", scores: image.scores), checker: nil)
    }

    /// The digest of a file's bytes and the hash of its image, by which copies are found; the hash is `nil` if the
    /// image cannot be read, or has too little structure.
    func fingerprint(of record: StoredObject) async throws -> (digest: String, hash: PerceptualHash?) {
        let origin = try await origin(of: record)
        let digest = try await FileChecks.digest(of: origin)
        do {
            let hash = try await images.samples(of: origin, atMost: 1).first?.hash
            return (digest, hash.flatMap { $0.quality >= PerceptualHash.usefulQuality ? $0 : nil })
        } catch let error as ServiceError where FileChecks.final.contains(error.code) {
            return (digest, nil)
        }
    }

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
        case .elsewhere(let url)?:
            return try await remoteImages.origin(of: url, for: nil).0
        case nil:
            throw FileService.notFound
        }
    }

    private func image(of record: StoredObject) async throws -> CheckedImage {
        let origin = try await origin(of: record)
        var samples: [ImageSample] = []
        var damage: String?
        do {
            samples = try await images.samples(of: origin, atMost: limits.frames)
        } catch let error as ServiceError where FileChecks.final.contains(error.code) {
            damage = error.message
        }
        return CheckedImage(
            id: record.id,
            name: record.fields["name"]?.stringValue ?? "",
            mediaType: record.fields["mime_type"]?.stringValue,
            size: origin.size,
            digest: try await FileChecks.digest(of: origin),
            samples: samples,
            damage: damage
        )
    }

    private static func digest(of origin: ImageOrigin) async throws -> String {
        let blob = try await origin.open()
        var hash = SHA256()
        for try await piece in blob.pieces(of: 0..<blob.size) {
            piece.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        }
        return hash.finalize().hexadecimal
    }

    /// Errors of the image itself, which another attempt would only repeat.
    private static let final: Set<ServiceError.Code> = [.notAnImage, .imageTooLarge]
}

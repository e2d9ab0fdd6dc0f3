/// Checks one file: reads its image, and asks the checkers in turn.
package struct FileChecks: Sendable {
    /// What a check led to.
    package enum Outcome: Sendable, Hashable {
        /// A verdict about bytes with this version; `nil` if they are unknown.
        case decided(Opinion, checker: String?, version: String?)
        /// A webhook answers later.
        case awaiting
    }

    /// What a check knows before it asks a webhook, whose answer can come at any time from then on.
    package struct Question: Sendable, Hashable {
        /// The scores of the checkers before the webhook.
        package let scores: [String: Double]
        /// The version of the bytes.
        package let version: String
        /// Whether the checkers have seen only some of the image's frames.
        package let isPartial: Bool
    }

    let files: FileService
    let images: ImageService
    let remoteImages: RemoteImages
    private let checkers: [any Checker]
    let limits: CheckLimits

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
    /// for example about a damaged image or one that exceeds the limits on images. A file on another server that is no
    /// image passes.
    ///
    /// - Parameters:
    ///   - record: The file's record.
    ///   - settings: The app's settings.
    ///   - expect: Called before a checker is asked whose answer can follow later.
    /// - Returns: The outcome.
    /// - Throws: Errors that can pass; ``ServiceError/Code/fileNotFound`` if the file's bytes do not exist any more;
    ///   errors of `expect`.
    package func check(
        _ record: StoredObject,
        under settings: CensorSettings,
        expecting expect: @Sendable (Question) async throws -> Void
    ) async throws -> Outcome {
        // Limited like each checker, because another server can send the file slowly: the lease is longer than all.
        let subject = try await TimeLimit.run(.seconds(limits.timeout), "Reading the image") {
            try await self.subject(of: record)
        }
        switch subject {
        case .decided(let opinion, let version): return .decided(opinion, checker: nil, version: version)
        case .image(let image, let version): return try await check(image, version, settings, expect)
        }
    }

    private func check(
        _ image: CheckedImage,
        _ version: String,
        _ settings: CensorSettings,
        _ expect: @Sendable (Question) async throws -> Void
    ) async throws -> Outcome {
        var image = image
        var reasons = [image.damage].compactMap(\.self)
        var last: (opinion: Opinion, checker: String)?
        for checker in checkers {
            if checker.canAnswerLater {
                try await expect(
                    Question(scores: image.scores, version: version, isPartial: image.hasUnreadFrames)
                )
            }
            let result = try await TimeLimit.run(.seconds(limits.timeout), "The checker \(checker.name)") { [image] in
                try await checker.check(image, under: settings)
            }
            switch result {
            case .none(let reason): if let reason { reasons.append(reason) }
            case .later: return .awaiting
            case .opinion(var opinion):
                image.scores.merge(opinion.scores) { _, new in new }
                opinion.scores = image.scores
                last = (opinion, checker.name)
            }
            if last?.opinion.verdict == .rejected { break }
        }
        guard let last else {
            let opinion = Opinion(.review, reasons.first ?? "No checker is set up.", scores: image.scores)
            return .decided(opinion, checker: nil, version: version)
        }
        let opinion = last.opinion.counting(isPartial: image.hasUnreadFrames)
        return .decided(opinion, checker: last.checker, version: version)
    }
}

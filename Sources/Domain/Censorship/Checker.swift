/// One link of the chain that decides about an image: the list of known images, the classifier, a webhook.
package protocol Checker: Sendable {
    /// The name in decisions: `known`, `classifier`, `webhook`.
    var name: String { get }

    /// Whether its answer can follow later, even before ``check(_:under:)`` returns.
    var canAnswerLater: Bool { get }

    /// Looks at one image.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - settings: The app's settings.
    /// - Returns: What it thinks of it.
    /// - Throws: Errors that can pass, after which the check is tried again.
    func check(_ image: CheckedImage, under settings: CensorSettings) async throws -> CheckResult
}

extension Checker {
    /// The default: the answer comes with the call.
    package var canAnswerLater: Bool { false }
}

/// What a checker says about an image.
package enum CheckResult: Sendable, Hashable {
    /// A verdict.
    case opinion(Opinion)
    /// Nothing, for the reason in the text; the next checker decides.
    case none(String?)
    /// The answer follows later, by a callback.
    case later
}

/// A checker's verdict about an image.
package struct Opinion: Sendable, Hashable {
    /// The verdict: passed, review or rejected.
    package var verdict: Verdict
    /// Why, for people.
    package var reason: String?
    /// Scores by name, each 0 to 1.
    package var scores: [String: Double]

    /// Creates an opinion.
    package init(_ verdict: Verdict, _ reason: String? = nil, scores: [String: Double] = [:]) {
        self.verdict = verdict
        self.reason = reason
        self.scores = scores
    }

    /// The opinion that counts.
    ///
    /// - Parameter isPartial: Whether the checkers have seen only some frames. Then a person decides instead of the
    ///   checker that passed the image, because the other frames can show anything.
    /// - Returns: The same opinion, or that a person decides.
    func counting(isPartial: Bool) -> Opinion {
        guard isPartial, verdict == .passed else { return self }
        return Opinion(.review, "Only the first frame of this animation can be checked.", scores: scores)
    }
}

/// An image as checkers see it.
package struct CheckedImage: Sendable {
    /// The file's objectId.
    package let id: ObjectID
    /// The file's name.
    package let name: String
    /// The media type in its record; `nil` if it has none.
    package let mediaType: String?
    /// The size of the file in bytes.
    package let size: Int64
    /// The SHA-256 of its bytes as 64 lower-case hexadecimal digits.
    package let digest: String
    /// Frames of the image; none if it cannot be read.
    package let samples: [ImageSample]
    /// Whether the image has frames that this server cannot read.
    package let hasUnreadFrames: Bool
    /// Why the image cannot be read, for people; `nil` if it can.
    package let damage: String?
    /// The scores of the checkers before.
    package var scores: [String: Double] = [:]

    /// Creates the value from a file's record and its bytes.
    package init(
        id: ObjectID,
        name: String,
        mediaType: String?,
        size: Int64,
        digest: String,
        samples: [ImageSample],
        hasUnreadFrames: Bool = false,
        damage: String? = nil
    ) {
        self.id = id
        self.name = name
        self.mediaType = mediaType
        self.size = size
        self.digest = digest
        self.samples = samples
        self.hasUnreadFrames = hasUnreadFrames
        self.damage = damage
    }
}

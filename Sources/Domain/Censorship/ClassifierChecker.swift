/// Decides by the score of a model: passes below one threshold, rejects above the other.
package struct ClassifierChecker: Checker {
    private let classifier: any ImageClassifier

    /// - Parameter classifier: Runs the model.
    package init(_ classifier: any ImageClassifier) {
        self.classifier = classifier
    }

    package var name: String { "classifier" }

    /// The name of its score in decisions.
    package static let score = "nsfw"

    package func check(_ image: CheckedImage, under settings: CensorSettings) async throws -> CheckResult {
        guard !image.samples.isEmpty else { return .none(nil) }
        let scores: [Double]
        do {
            scores = try await classifier.scores(of: image.samples.map(\.pixels))
        } catch let error as ServiceError where error.code == .notAvailable {
            return .none(error.message)
        }
        // One frame is enough to reject an animation.
        guard let score = scores.max() else { return .none("The classifier gave no score.") }
        let verdict: Verdict =
            score < settings.passBelow ? .passed : score > settings.rejectAbove ? .rejected : .review
        let rounded = (score * 10_000).rounded() / 10_000
        let reason = "The classifier's score is \(rounded)."
        return .opinion(Opinion(verdict, reason, scores: [ClassifierChecker.score: rounded]))
    }
}

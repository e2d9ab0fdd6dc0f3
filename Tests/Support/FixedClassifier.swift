internal import Domain
package import NIOCore

/// A classifier that gives every frame the same score.
package struct FixedClassifier: ImageClassifier {
    private let score: Double

    package init(score: Double) {
        self.score = score
    }

    package func scores(of frames: [ByteBuffer]) async throws -> [Double] {
        frames.map { _ in score }
    }

    package var unavailability: String? { nil }
}

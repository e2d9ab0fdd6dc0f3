internal import Domain
internal import NIOCore

/// No classifier.
struct NoClassifier: ImageClassifier {
    func scores(of frames: [ByteBuffer]) async throws -> [Double] {
        throw ServiceError(.notAvailable, "There is no classifier.")
    }

    var unavailability: String? { "There is no classifier." }
}

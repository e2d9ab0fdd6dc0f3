package import NIOCore

/// Scores images with a model; the server runs it in a separate process (docs/censorship.md).
package protocol ImageClassifier: Sendable {
    /// The probability, 0 to 1, that each of some frames shows what the model was trained to find.
    ///
    /// - Parameter frames: Pixels of frames, each ``ImageSample/pixelCount`` bytes.
    /// - Returns: One score for each frame, in their order.
    /// - Throws: ``ServiceError/Code/notAvailable`` if there is no model that can be used; the message says why.
    ///   ``ServiceError/Code/timedOut``, ``ServiceError/Code/internalFailure`` for failures that can pass;
    ///   `CancellationError` if the task is cancelled.
    func scores(of frames: [ByteBuffer]) async throws -> [Double]

    /// Why the classifier cannot be used, for people; `nil` if it can.
    var unavailability: String? { get }
}

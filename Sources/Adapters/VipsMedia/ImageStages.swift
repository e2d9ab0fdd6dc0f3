package import Domain

/// How long the stages of rendering take.
///
/// Decoding, scaling and encoding of most formats are one stage, because libvips runs them as one pipeline.
package struct ImageStages: Sendable {
    /// Reading headers in this process.
    package let header = DurationHistogram()
    /// Decoding in worker processes, and reading headers there.
    package let worker = DurationHistogram()
    /// The pipelines of libvips: decoding, unless a worker process has decoded, scaling and encoding.
    package let render = DurationHistogram()
}

package import NIOCore

/// Detects media types by a name's extension or by the bytes.
package protocol TypeDetector: Sendable {
    /// The usual media type of files with this extension (without the dot, any case); `nil` if it is unknown.
    func type(ofExtension pathExtension: String) -> MediaType?

    /// The media type of the first bytes of a file; `nil` if it is unknown.
    func type(of head: ByteBuffer) async throws -> MediaType?
}

package import NIOCore

/// Tells media types, by a name's extension or by the bytes.
package protocol TypeDetector: Sendable {
    /// What a file with this extension (without the dot, any case) usually is.
    func type(ofExtension pathExtension: String) -> MediaType?

    /// What the first bytes of a file look like, or nothing if they look like nothing known.
    func type(of head: ByteBuffer) async throws -> MediaType?
}

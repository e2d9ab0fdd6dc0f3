package import NIOCore

/// Detects media types by a name's extension or by the bytes.
package protocol TypeDetector: Sendable {
    /// The usual media type of files with this extension (without the dot, any case); `nil` if it is unknown.
    func type(ofExtension pathExtension: String) -> MediaType?

    /// The media type of the first bytes of a file; `nil` if it is unknown.
    func type(of head: ByteBuffer) async throws -> MediaType?

    /// The media type of the first bytes if they are an image; can be `nil` for images that neither browsers show nor
    /// this server renders.
    ///
    /// It can be faster than ``type(of:)``, because it distinguishes less.
    func imageType(of head: ByteBuffer) async throws -> MediaType?
}

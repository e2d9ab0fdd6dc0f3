internal import NIOCore

/// An image that a job needs: its header, for the cost estimate, and its bytes.
///
/// The bytes can be on another machine until the job is allowed.
struct ImageInput: Sendable {
    /// The image's header.
    var header: ImageHeader
    /// The image's bytes.
    var bytes: ImageBytes
}

/// The location of an image's bytes.
enum ImageBytes: Sendable {
    /// On this machine.
    case local(ImageSource)
    /// In a file of this machine, which is opened when the job runs: a job that waits holds no descriptor.
    case closed(ImageOrigin)
    /// In a blob that has to be read first.
    case remote(any OpenBlob)

    init(_ blob: any OpenBlob) async throws {
        switch try await blob.localBytes() {
        case .file(let file): self = .local(.file(blob, file))
        case .memory(let bytes): self = .local(.memory(bytes))
        case nil: self = .remote(blob)
        }
    }
}

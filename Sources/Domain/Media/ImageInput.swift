internal import NIOCore

/// An image that a job needs: its header, by which the job is priced, and its bytes, which may be on another machine until
/// the job is known to be allowed.
struct ImageInput: Sendable {
    /// What the image says of itself.
    var header: ImageHeader
    /// Where its bytes are.
    var bytes: ImageBytes
}

/// Where the bytes of an image are.
enum ImageBytes: Sendable {
    /// On this machine.
    case local(ImageSource)
    /// In a blob that has to be read first.
    case remote(any OpenBlob)

    init(_ blob: any OpenBlob) {
        switch blob.local {
        case .file(let file): self = .local(.file(blob, file))
        case .memory(let bytes): self = .local(.memory(bytes))
        case nil: self = .remote(blob)
        }
    }
}

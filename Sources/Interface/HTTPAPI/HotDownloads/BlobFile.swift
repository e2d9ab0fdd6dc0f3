internal import Domain

/// The open local file of a blob, whose bytes the kernel can send; it closes with its last reference.
final class BlobFile: Sendable {
    let blob: any OpenBlob
    let file: LocalFile

    /// Takes the file of a blob; `nil` for bytes that are not in a local file.
    ///
    /// Those in memory belong to a budget of derivatives that are not stored yet.
    init?(_ blob: any OpenBlob) {
        guard case .file(let file)? = blob.local else { return nil }
        self.blob = blob
        self.file = file
    }
}

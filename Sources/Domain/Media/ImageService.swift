/// Makes thumbnails of one app's files, never more at once than the machine can bear.
package struct ImageService: Sendable {
    /// What sources and results are held to.
    package let limits: ImageLimits
    private let files: FileService
    private let renderer: any ImageRenderer
    private let admission: Admission

    /// - Parameters:
    ///   - limits: What may be read and made.
    ///   - files: The app's files.
    ///   - renderer: What makes the pictures.
    ///   - admission: The count of jobs, shared by all apps of a server.
    package init(limits: ImageLimits, files: FileService, renderer: any ImageRenderer, admission: Admission) {
        self.limits = limits
        self.files = files
        self.renderer = renderer
        self.admission = admission
    }

    /// Makes the derivative of a file that a request describes.
    ///
    /// - Throws: ``ServiceError/Code/imageTooLarge``, ``ServiceError/Code/notAnImage``,
    ///   ``ServiceError/Code/overloaded`` when too many jobs run and wait already.
    package func derivative(_ request: ImageRequest, of file: ServedFile) async throws -> RenderedImage {
        guard file.size <= limits.sourceSize else {
            throw ServiceError(
                .imageTooLarge,
                "The file has \(file.size) bytes; images over \(limits.sourceSize) are not processed (images.maxSourceSize)."
            )
        }
        return try await admission.run {
            let blob = try await files.open(file.key)
            let source: ImageSource =
                if let descriptor = blob.descriptor {
                    .file(blob, descriptor)
                } else {
                    .memory(try await blob.read(at: 0, count: Int(blob.size)))
                }
            return try await renderer.render(request, from: source, within: limits)
        }
    }
}

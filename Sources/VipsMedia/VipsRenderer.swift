internal import CVips
package import Domain
internal import NIOCore
package import NIOPosix

/// Makes derivatives with libvips on threads of its own.
package struct VipsRenderer: ImageRenderer {
    private let pool: NIOThreadPool

    /// Starts libvips if this is the first renderer of the process.
    ///
    /// - Parameter pool: Threads for rendering; as many as cores is right, since each job keeps one busy.
    /// - Throws: When libvips cannot start.
    package init(pool: NIOThreadPool) throws {
        try VipsLibrary.start()
        self.pool = pool
    }

    package func render(
        _ request: ImageRequest,
        from source: ImageSource,
        within limits: ImageLimits
    ) async throws
        -> RenderedImage
    {
        try await pool.runIfActive {
            // libvips keeps caches for each thread that called it; a thread of the pool never ends by itself.
            defer { vips_thread_shutdown() }
            let thumbnail = Thumbnail(request: request, limits: limits)
            switch source {
            case .file(let blob, let descriptor):
                return try withExtendedLifetime(blob) {
                    try thumbnail.render(try VipsSourceHandle(descriptor: descriptor))
                }
            case .memory(let bytes):
                return try bytes.withUnsafeReadableBytes { bytes in
                    try thumbnail.render(try VipsSourceHandle(bytes: bytes))
                }
            }
        }
    }
}

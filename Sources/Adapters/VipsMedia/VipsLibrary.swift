internal import CVips
internal import Domain

/// libvips, started once for the process, with only the loaders of the supported formats.
enum VipsLibrary {
    /// The loaders of supported formats that upstream fuzzes; every other loader is blocked.
    ///
    /// SVG, PDF, HEIC, ImageMagick and similar loaders never run in this process, for any bytes.
    private static let allowedLoaders = ["Jpeg", "Png", "Webp", "Nsgif", "Tiff"]

    private static let started: Result<Void, VipsError> = {
        do throws(VipsError) {
            try VipsModules.startLibrary(blocksUntrusted: true)
            // It writes AVIF.
            try VipsModules.load(.heif)
        } catch {
            return .failure(error)
        }
        VipsModules.allow(allowedLoaders)
        // Requests run in parallel, so each image has one thread. libvips' cache of operations is off, because
        // operations are not repeated.
        vips_concurrency_set(1)
        vips_cache_set_max(0)
        return .success(())
    }()

    /// Starts the library at the first call; throws its error at every call.
    static func start() throws(VipsError) {
        try started.get()
    }

    /// The formats for which this libvips has a saver; valid after the start.
    static let writable = Set(
        ImageFormat.allCases.filter { format in
            switch format {
            case .jpeg: cvips_has_operation("jpegsave_target") != 0
            case .png: cvips_has_operation("pngsave_target") != 0
            case .webp: cvips_has_operation("webpsave_target") != 0
            case .gif: cvips_has_operation("gifsave_target") != 0
            case .avif: cvips_has_operation("heifsave_target") != 0
            }
        }
    )
}

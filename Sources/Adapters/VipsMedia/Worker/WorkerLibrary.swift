internal import CVips
internal import Glibc

/// libvips in a worker process: only the loaders of the worker's formats, and only the module that the image needs.
enum WorkerLibrary {
    /// Starts libvips with the formats that need no module.
    ///
    /// - Throws: The error of libvips.
    static func start() throws(VipsError) {
        // Files cannot be written, so large images stay in memory, which is limited.
        setenv("VIPS_DISC_THRESHOLD", "1000g", 1)
        // liborc would generate machine code at run time, which needs writable and executable memory.
        setenv("VIPS_NOVECTOR", "1", 1)
        try VipsModules.startLibrary(blocksUntrusted: false)
        // Where libvips was built without modules, these are all.
        VipsModules.allow(["Svg", "Jp2k", "Tiff", "Heif", "Jxl", "Pdf"])
        vips_concurrency_set(1)
        vips_cache_set_max(0)
    }

    /// Finds the loader that recognizes the bytes; loads one module after the other until one does.
    ///
    /// HEIC and AVIF come first: cameras make them.
    ///
    /// - Parameter source: The image.
    /// - Returns: The name of the loader's class.
    /// - Throws: An error if no loader recognizes it, or if a module cannot be loaded.
    static func loader(for source: borrowing VipsSourceHandle) throws(VipsError) -> String {
        if let name = find(source) { return name }
        let modules: [(VipsModules.Module, String)] = [(.heif, "Heif"), (.jpegXL, "Jxl"), (.poppler, "Pdf")]
        for (module, loader) in modules {
            try VipsModules.load(module)
            VipsModules.allow([loader])
            if let name = find(source) { return name }
        }
        throw VipsError.take("find_load")
    }

    private static func find(_ source: borrowing VipsSourceHandle) -> String? {
        vips_foreign_find_load_source(source.pointer).map { String(cString: $0) }
    }
}

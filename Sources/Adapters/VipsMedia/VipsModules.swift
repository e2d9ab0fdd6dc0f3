internal import CLinux
internal import CVips
internal import Glibc

/// The start of libvips without the formats that it keeps in modules, and the loading of single ones.
///
/// By itself libvips loads every module that is installed. On Debian these are ImageMagick, OpenSlide, poppler, libheif
/// and libjxl. Linking them takes three times as long as a small image, which a process for one image cannot afford, and
/// the server is safer without libraries that it never calls.
enum VipsModules {
    /// A module, by the name of its file.
    enum Module: String {
        /// HEIC and AVIF.
        case heif = "vips-heif"
        case jpegXL = "vips-jxl"
        /// PDF.
        case poppler = "vips-poppler"
    }

    /// Starts libvips without any module; every loader is blocked then.
    ///
    /// - Parameter blocksUntrusted: Whether operations that are not fuzzed upstream are blocked too, so that allowing a
    ///   loader is not enough for them.
    /// - Throws: The error of libvips.
    static func startLibrary(blocksUntrusted: Bool) throws(VipsError) {
        // Damaged images are common, and libvips would write a warning about each to standard error.
        setenv("VIPS_WARNING", "0", 1)
        // libvips looks for its modules in a folder of this place, and below a file there is none.
        setenv("VIPSHOME", "/dev/null", 1)
        guard vips_init("lcfile") == 0 else { throw VipsError.take("vips_init") }
        unsetenv("VIPSHOME")
        vips_block_untrusted_set(blocksUntrusted ? 1 : 0)
        vips_operation_block_set("VipsForeignLoad", 1)
    }

    /// Loads a module if it is installed; without it, libvips has its formats built in, or does not know them.
    ///
    /// - Throws: The error of the linker.
    static func load(_ module: Module) throws(VipsError) {
        guard let folder else { return }
        let path = "\(folder)/\(module.rawValue).so"
        guard access(path, R_OK) == 0 else { return }
        guard cvips_load_module(path) == 0 else { throw VipsError.take("vips_module") }
    }

    /// Allows the loaders of formats, each with all that read it from files, buffers and sources.
    ///
    /// Loaders of a module can be allowed when it is loaded.
    ///
    /// - Parameter loaders: The names of the classes without `VipsForeignLoad`.
    static func allow(_ loaders: [String]) {
        for loader in loaders { vips_operation_block_set("VipsForeignLoad\(loader)", 0) }
    }

    /// Where the modules of this libvips are: beside the library itself.
    private static let folder: String? = {
        guard let path = clinux_library_of("vips_init") else { return nil }
        let name = String(cString: path)
        guard let end = name.lastIndex(of: "/") else { return nil }
        return "\(name[..<end])/vips-modules-\(vips_version(0)).\(vips_version(1))"
    }()
}

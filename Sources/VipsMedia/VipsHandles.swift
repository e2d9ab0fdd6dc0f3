internal import CVips

/// A reference to an image, given back when the value goes.
struct VipsImageHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsImage>

    init(owning pointer: UnsafeMutablePointer<VipsImage>) {
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    var width: Int { Int(vips_image_get_width(pointer)) }
    var height: Int { Int(vips_image_get_height(pointer)) }
    var pages: Int { Int(vips_image_get_n_pages(pointer)) }
    var hasAlpha: Bool { vips_image_hasalpha(pointer) != 0 }
    var hasProfile: Bool { cvips_has_profile(pointer) != 0 }

    /// A text among the image's metadata.
    func text(_ name: String) -> String? {
        guard vips_image_get_typeof(pointer, name) != 0 else { return nil }
        var text: UnsafePointer<CChar>?
        guard vips_image_get_string(pointer, name, &text) == 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    /// A second reference to the same image.
    func shared() -> VipsImageHandle {
        g_object_ref(pointer)
        return VipsImageHandle(owning: pointer)
    }

    /// The image that an operation makes of this one.
    func applying(
        _ operation: String,
        _ body: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> CInt
    ) throws(VipsError) -> VipsImageHandle {
        var result: UnsafeMutablePointer<VipsImage>?
        guard body(pointer, &result) == 0, let result else { throw VipsError.take(operation) }
        return VipsImageHandle(owning: result)
    }
}

/// Where libvips reads from.
struct VipsSourceHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsSource>

    /// Reads a file by a descriptor, which libvips duplicates.
    init(descriptor: CInt) throws(VipsError) {
        guard let pointer = vips_source_new_from_descriptor(descriptor) else { throw VipsError.take("source") }
        self.pointer = pointer
    }

    /// Reads memory, which must outlive the images made of it: libvips does not copy.
    init(bytes: UnsafeRawBufferPointer) throws(VipsError) {
        guard let pointer = vips_source_new_from_memory(bytes.baseAddress, bytes.count) else {
            throw VipsError.take("source")
        }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    /// The class of the loader that knows these bytes: `VipsForeignLoadJpegSource`; nothing if none does.
    var loader: String? {
        guard let name = vips_foreign_find_load_source(pointer) else {
            _ = VipsError.take("find_load")
            return nil
        }
        return String(cString: name)
    }
}

/// Where libvips writes to: memory.
struct VipsTargetHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsTarget>

    init() throws(VipsError) {
        guard let pointer = vips_target_new_to_memory() else { throw VipsError.take("target") }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    /// Lends out what a saver wrote.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(VipsError) -> Result {
        guard let blob = cvips_target_blob(pointer) else { throw VipsError.take("target") }
        defer { cvips_blob_unref(blob) }
        var count = 0
        let bytes = vips_blob_get(blob, &count)
        return body(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

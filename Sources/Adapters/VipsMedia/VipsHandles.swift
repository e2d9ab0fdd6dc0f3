internal import CVips
internal import Domain

/// An owned reference to an image, released with the value.
struct VipsImageHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsImage>

    init(owning pointer: UnsafeMutablePointer<VipsImage>) {
        self.pointer = pointer
    }

    /// Opens the header of a source.
    ///
    /// - Parameters:
    ///   - source: An image in any format that is not blocked.
    ///   - options: The loader's own options: `[n=-1]`.
    /// - Throws: An error if no loader recognizes the bytes, or if the loader cannot read them.
    init(_ source: borrowing VipsSourceHandle, options: String = "") throws(VipsError) {
        guard let pointer = cvips_new_from_source(source.pointer, options) else { throw VipsError.take("load") }
        self.pointer = pointer
    }

    /// Copies rows of 8-bit samples from memory.
    init(_ pixels: ArraySlice<UInt8>, size: ImageSize, bands: Int) throws(VipsError) {
        let copy = pixels.withUnsafeBytes { bytes in
            vips_image_new_from_memory_copy(
                bytes.baseAddress,
                bytes.count,
                CInt(size.width),
                CInt(size.height),
                CInt(bands),
                VIPS_FORMAT_UCHAR
            )
        }
        guard let copy else { throw VipsError.take("memory") }
        let image = VipsImageHandle(owning: copy)
        self = try image.applying("copy", cvips_copy_as_srgb)
    }

    /// Creates an 8-bit image, grey with one band or sRGB with three, whose rows the body writes.
    ///
    /// - Returns: `nil` if the body returns `false`, or if no memory is left.
    static func drawn(
        _ size: ImageSize,
        bands: Int,
        _ draw: (UnsafeMutableRawBufferPointer) -> Bool
    ) -> VipsImageHandle? {
        var pixels: UnsafeMutableRawPointer?
        guard let image = cvips_new_pixels(CInt(size.width), CInt(size.height), CInt(bands), &pixels) else {
            // Clears the error buffer; the next error would otherwise include this message.
            _ = VipsError.take("pixels")
            return nil
        }
        let handle = VipsImageHandle(owning: image)
        guard draw(UnsafeMutableRawBufferPointer(start: pixels, count: size.area * bands)) else { return nil }
        return handle
    }

    deinit {
        g_object_unref(pointer)
    }

    var size: ImageSize {
        ImageSize(width: Int(vips_image_get_width(pointer)), height: Int(vips_image_get_height(pointer)))
    }
    var bands: Int { Int(vips_image_get_bands(pointer)) }
    /// Whether the image has transparency; the fourth byte of packed CIELAB is not a channel.
    var hasAlpha: Bool { !isPackedLAB && vips_image_hasalpha(pointer) != 0 }
    /// Whether a pixel is CIELAB packed into four bytes, as libvips reads a TIFF of CIELAB with 8 bits.
    var isPackedLAB: Bool { vips_image_get_coding(pointer) == VIPS_CODING_LABQ }
    /// Whether a colour profile is attached, of any colour model.
    var hasProfile: Bool { cvips_has_profile(pointer) != 0 }
    /// Whether the attached colour profile is one of the image's colour model; others are ignored.
    var hasFittingProfile: Bool { cvips_has_fitting_profile(pointer) != 0 }

    /// A second reference to the same image.
    func shared() -> VipsImageHandle {
        g_object_ref(pointer)
        return VipsImageHandle(owning: pointer)
    }

    /// The result of an operation on this image.
    func applying(
        _ operation: String,
        _ body: (UnsafeMutablePointer<VipsImage>, UnsafeMutablePointer<UnsafeMutablePointer<VipsImage>?>) -> CInt
    ) throws(VipsError) -> VipsImageHandle {
        var result: UnsafeMutablePointer<VipsImage>?
        guard body(pointer, &result) == 0, let result else { throw VipsError.take(operation) }
        return VipsImageHandle(owning: result)
    }
}

/// A memory target to which libvips writes.
struct VipsTargetHandle: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsTarget>

    init() throws(VipsError) {
        guard let pointer = vips_target_new_to_memory() else { throw VipsError.take("target") }
        self.pointer = pointer
    }

    deinit {
        g_object_unref(pointer)
    }

    /// Passes the saver's output to a closure.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) throws(VipsError) -> Result {
        guard let blob = cvips_target_blob(pointer) else { throw VipsError.take("target") }
        defer { cvips_blob_unref(blob) }
        var count = 0
        let bytes = vips_blob_get(blob, &count)
        return body(UnsafeRawBufferPointer(start: bytes, count: count))
    }
}

/// An array of numbers for an operation: a colour, with full opacity if the image has alpha.
struct VipsNumbers: ~Copyable {
    let pointer: UnsafeMutablePointer<VipsArrayDouble>

    /// Creates one number for each band of the image.
    init(_ color: Color, for image: borrowing VipsImageHandle) throws(VipsError) {
        var numbers = [Double(color.red), Double(color.green), Double(color.blue)]
        if image.hasAlpha { numbers.append(255) }
        guard let pointer = vips_array_double_new(numbers, CInt(numbers.count)) else { throw VipsError.take("array") }
        self.pointer = pointer
    }

    deinit {
        cvips_array_unref(pointer)
    }
}

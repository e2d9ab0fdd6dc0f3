internal import CVips

extension VipsImageHandle {
    /// The names of all metadata fields of the image.
    var fieldNames: [String] {
        guard let fields = vips_image_get_fields(pointer) else { return [] }
        defer { g_strfreev(fields) }
        var names: [String] = []
        var next = fields
        while let name = next.pointee {
            names.append(String(cString: name))
            next += 1
        }
        return names
    }

    func has(_ name: String) -> Bool {
        vips_image_get_typeof(pointer, name) != 0
    }

    func text(_ name: String) -> String? {
        guard has(name) else { return nil }
        var text: UnsafePointer<CChar>?
        guard vips_image_get_string(pointer, name, &text) == 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    func number(_ name: String) -> Int? {
        guard has(name) else { return nil }
        var number: CInt = 0
        guard vips_image_get_int(pointer, name, &number) == 0 else { return nil }
        return Int(number)
    }

    func numbers(_ name: String) -> [CInt]? {
        guard has(name) else { return nil }
        var numbers: UnsafeMutablePointer<CInt>?
        var count: CInt = 0
        guard vips_image_get_array_int(pointer, name, &numbers, &count) == 0, let numbers else { return nil }
        return Array(UnsafeBufferPointer(start: numbers, count: Int(count)))
    }

    func bytes(_ name: String) -> [UInt8]? {
        guard has(name) else { return nil }
        var data: UnsafeRawPointer?
        var count = 0
        guard vips_image_get_blob(pointer, name, &data, &count) == 0, let data else { return nil }
        return Array(UnsafeRawBufferPointer(start: data, count: count))
    }

    /// The EXIF orientation, 1 to 8; `nil` without one.
    var orientation: Int? {
        number("orientation").flatMap { (1...8).contains($0) ? $0 : nil }
    }

    /// A separate reference, whose metadata can be changed.
    func unshared() throws(VipsError) -> VipsImageHandle {
        try applying("copy", cvips_copy)
    }

    func remove(_ name: String) {
        vips_image_remove(pointer, name)
    }

    func set(_ name: String, to number: Int) {
        vips_image_set_int(pointer, name, CInt(number))
    }

    func set(_ name: String, to text: String) {
        vips_image_set_string(pointer, name, text)
    }

    func set(_ name: String, to bytes: [UInt8]) {
        vips_image_set_blob_copy(pointer, name, bytes, bytes.count)
    }

    func set(_ name: String, to numbers: [CInt]) {
        numbers.withUnsafeBufferPointer { numbers in
            // libvips only reads the numbers, although the parameter is not const.
            let mutable = UnsafeMutablePointer(mutating: numbers.baseAddress)
            vips_image_set_array_int(pointer, name, mutable, CInt(numbers.count))
        }
    }
}

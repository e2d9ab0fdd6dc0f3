internal import Domain

/// What a HEIC or AVIF says in its EXIF: a worker's response to a metadata task, as JSON.
struct WorkerMetadata: Equatable {
    /// The fields by name.
    var fields: [String: ExifField] = [:]
    /// The texts of ``ImageRights``, by the names of their tags.
    var copyright: [String: String] = [:]

    /// The maximum length of a response in bytes; a file with more EXIF has none of it.
    static let maxLength = 1 << 20

    init() {}

    /// Reads the metadata of an opened image.
    init(of image: borrowing VipsImageHandle) {
        fields = ExifReader.fields(of: image)
        copyright = ImageRights.texts(of: image)
    }

    /// Parses a response; `nil` if it is malformed or contains values that no worker returns.
    init?(_ bytes: [UInt8]) {
        guard let root = try? JSONValue(parsing: bytes, field: "metadata").objectValue,
            let fields = root["fields"]?.objectValue, let copyright = root["copyright"]?.objectValue
        else { return nil }
        for (name, value) in fields {
            guard let type = value.objectValue?["type"]?.integerValue, (1...12).contains(type),
                let text = value.objectValue?["val"]?.stringValue
            else { return nil }
            self.fields[name] = ExifField(type: Int(type), value: text)
        }
        for (name, value) in copyright {
            guard ImageRights.tags[name] != nil, let text = value.stringValue else { return nil }
            self.copyright[name] = text
        }
    }

    /// The encoded metadata; those of an image without any if they are longer than ``maxLength``.
    var bytes: [UInt8] {
        let fields = fields.mapValues { field in
            JSONValue.object(["type": .integer(Int64(field.type)), "val": .string(field.value)])
        }
        let copyright = copyright.mapValues(JSONValue.string)
        let bytes = JSONValue.object(["fields": .object(fields), "copyright": .object(copyright)]).encoded()
        return bytes.count <= WorkerMetadata.maxLength ? bytes : WorkerMetadata().bytes
    }
}

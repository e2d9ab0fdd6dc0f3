/// A part as it is stored.
struct StoredPart: Sendable {
    let id: ObjectID
    let upload: ObjectID
    let number: Int
    var part: PartLayout.Part
    let unit: Int64

    func object(at now: Timestamp) -> StoredObject {
        let fields: [String: JSONValue] = [
            "upload": Pointer(.upload, upload).json, "number": .integer(Int64(number)), "size": .integer(part.size),
            "_place": .integer(part.offset), "_tag": .string(part.tag), "_unit": .integer(unit),
        ]
        return StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
    }

    init(id: ObjectID, upload: ObjectID, number: Int, part: PartLayout.Part, unit: Int64) {
        self.id = id
        self.upload = upload
        self.number = number
        self.part = part
        self.unit = unit
    }

    init?(stored object: StoredObject) {
        let fields = object.fields
        guard let upload = fields["upload"].flatMap(Pointer.init(stored:))?.id,
            let number = fields["number"]?.integerValue, let size = fields["size"]?.integerValue,
            let offset = fields["_place"]?.integerValue, let unit = fields["_unit"]?.integerValue
        else { return nil }
        self.init(
            id: object.id,
            upload: upload,
            number: Int(number),
            part: PartLayout.Part(offset: offset, size: size, tag: fields["_tag"]?.stringValue ?? ""),
            unit: unit
        )
    }
}

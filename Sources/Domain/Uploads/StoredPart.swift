/// A part as it is stored.
struct StoredPart: Sendable {
    let id: ObjectID
    let upload: ObjectID
    let number: Int
    /// The recorded bytes; `nil` if there are none, only a request that writes some on a shared store.
    var part: PartLayout.Part?
    let unit: Int64
    /// The slots of the part on a shared store; `nil` on a server that is alone.
    var sharing: Sharing?
    /// The time of the last change; `nil` before the part is stored.
    var updatedAt: Timestamp?

    /// Where the requests of several servers write the part.
    struct Sharing: Sendable, Hashable {
        /// The order of the newest request that began to write it; older ones record nothing.
        var order: Int
        /// Whether that request has not recorded its end.
        var isOpen: Bool
        /// The slot of the recorded bytes, or of the first ones.
        var home: SharedUploadState.Slot
        /// The slot of bytes that will replace the recorded ones.
        var spare: SharedUploadState.Slot?
        /// The acknowledged bytes of a block that is not complete; they count for the progress only.
        var held: Int64 = 0
    }

    func object(at now: Timestamp) -> StoredObject {
        var fields: [String: JSONValue] = [
            "upload": Pointer(.upload, upload).json, "number": .integer(Int64(number)), "_unit": .integer(unit),
        ]
        if let part {
            fields["size"] = .integer(part.size)
            fields["_place"] = .integer(part.offset)
            fields["_tag"] = .string(part.tag)
        }
        fields["_shared"] = sharing?.json
        return StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
    }

    init(
        id: ObjectID,
        upload: ObjectID,
        number: Int,
        part: PartLayout.Part?,
        unit: Int64,
        sharing: Sharing? = nil
    ) {
        self.id = id
        self.upload = upload
        self.number = number
        self.part = part
        self.unit = unit
        self.sharing = sharing
    }

    init?(stored object: StoredObject) {
        let fields = object.fields
        guard let upload = fields["upload"].flatMap(Pointer.init(stored:))?.id,
            let number = fields["number"]?.integerValue, number >= 1, let unit = fields["_unit"]?.integerValue
        else { return nil }
        var part: PartLayout.Part?
        if let size = fields["size"]?.integerValue, let offset = fields["_place"]?.integerValue, size >= 0,
            offset >= 0
        {
            guard !offset.addingReportingOverflow(max(size, 1)).overflow else { return nil }
            part = PartLayout.Part(offset: offset, size: size, tag: fields["_tag"]?.stringValue ?? "")
        }
        let sharing = Sharing(stored: fields["_shared"])
        guard part != nil || sharing != nil else { return nil }
        self.init(id: object.id, upload: upload, number: Int(number), part: part, unit: unit, sharing: sharing)
        updatedAt = object.updatedAt
    }
}

extension StoredPart.Sharing {
    /// The slots as a member of the row.
    fileprivate var json: JSONValue {
        var fields: [String: JSONValue] = [
            "order": .integer(Int64(order)), "open": .bool(isOpen), "home": home.json,
        ]
        fields["spare"] = spare?.json
        if held > 0 { fields["held"] = .integer(held) }
        return .object(fields)
    }

    fileprivate init?(stored value: JSONValue?) {
        guard let fields = value?.objectValue, let order = fields["order"]?.integerValue,
            let home = SharedUploadState.Slot(stored: fields["home"])
        else { return nil }
        self.order = Int(order)
        isOpen = fields["open"] == .bool(true)
        self.home = home
        spare = SharedUploadState.Slot(stored: fields["spare"])
        held = fields["held"]?.integerValue ?? 0
    }
}

extension SharedUploadState.Slot {
    fileprivate var json: JSONValue { .array([.integer(offset), .integer(capacity)]) }

    fileprivate init?(stored value: JSONValue?) {
        let numbers = value?.arrayValue?.compactMap(\.integerValue) ?? []
        guard numbers.count == 2 else { return nil }
        self.init(offset: numbers[0], capacity: numbers[1])
    }
}

/// What the row of an upload has in addition on a shared store: who may write where, and who creates its file.
///
/// Every request that writes bytes of an upload, and every one that creates its file, has an *order*, the next number
/// of the upload. The order decides between requests on several servers: a part belongs to the newest request that
/// began to write it, and the bytes of a newer one are the current ones, whenever those of an older one arrive.
struct SharedUploadState: Sendable, Hashable {
    /// The order of the last request.
    var order: Int
    /// The order of the last request that began to create the file; earlier ones record no bytes any more.
    var barrier = 0
    /// The size of all numbered parts but the last; `nil` without numbered parts.
    var unit: Int64?
    /// The end of the blocks, which have no number in the protocol; `nil` without blocks.
    var blocksEnd: Int64?
    /// The end of the parts that are not at their place in the file; `nil` without such parts.
    var displacedEnd: Int64?
    /// The lease of the request that creates the file.
    var lease: Lease?
    /// The number of leases whose holders did not end them, or whose puts failed: each can have left a blob under a name
    /// of its own.
    var abandoned = 0

    /// A lease in the row of an upload.
    struct Lease: Sendable, Hashable {
        /// A random id of the holder.
        let id: String
        /// How often the holder has renewed it.
        var renewals = 0
    }

    init(order: Int = 0) {
        self.order = order
    }

    /// The state of an upload that began on a server that was alone.
    ///
    /// The staged area has counted that server's writers, so the time in milliseconds is larger than all their numbers:
    /// bytes that it staged and did not record are older than those of any request that begins now.
    ///
    /// - Parameter now: The time.
    init(begunAloneBefore now: Timestamp) {
        self.init(order: Int(now.milliseconds))
    }

    /// The order of a request that begins now.
    mutating func nextOrder() -> Int {
        order += 1
        return order
    }

    /// Throws ``LeaseHeld`` if another request creates the file, unless its lease is known to be dead.
    mutating func requireNoLease(but dead: Lease?) throws {
        guard let held = lease else { return }
        guard held == dead else { throw LeaseHeld(lease: held) }
        lease = nil
        abandoned += 1
    }
}

/// The error of a transaction that another server's lease refuses; never leaves the area.
struct LeaseHeld: Error {
    let lease: SharedUploadState.Lease
}

extension SharedUploadState {
    /// Bytes of the staged area that no other part gets.
    struct Slot: Sendable, Hashable {
        let offset: Int64
        let capacity: Int64
    }

    /// Gives a numbered part a slot that no other part has.
    ///
    /// - Parameters:
    ///   - number: 1 or more.
    ///   - size: The number of bytes of the request.
    ///   - isPredicted: Whether the part can be at its place in the file; otherwise it is behind all of them.
    ///   - bounds: The sizes of the staged area.
    /// - Returns: The slot.
    /// - Throws: ``ServiceError/Code/payloadTooLarge``.
    mutating func slot(
        _ number: Int,
        size: Int64,
        predicted isPredicted: Bool,
        in bounds: SlotBounds
    ) throws -> Slot {
        let unit = self.unit ?? max(size, 1)
        self.unit = unit
        let (guess, isHuge) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        if isPredicted, blocksEnd == nil, size <= unit, !isHuge, guess <= bounds.size - size {
            return Slot(offset: guess, capacity: min(unit, bounds.file - guess))
        }
        return try displacedSlot(size: size, in: bounds)
    }

    /// Whether a numbered part has a place in a file of a size where every part of the upload has its own.
    func isPlace(of number: Int, size: Int64, below capacity: Int64) -> Bool {
        guard let unit, size <= unit, blocksEnd == nil, displacedEnd == nil else { return false }
        let (offset, isHuge) = Int64(number - 1).multipliedReportingOverflow(by: unit)
        return !isHuge && offset <= capacity - size
    }

    /// Gives a block the next slot, and the number that it has as a part.
    mutating func blockSlot(size: Int64, unit: Int64, in bounds: SlotBounds) throws -> (number: Int, slot: Slot) {
        let offset = blocksEnd ?? 0
        guard self.unit == nil, offset <= bounds.file - size else {
            let slot = try displacedSlot(size: size, in: bounds)
            return (Int(slot.offset / unit) + 1, slot)
        }
        blocksEnd = offset + unit
        return (Int(offset / unit) + 1, Slot(offset: offset, capacity: size))
    }

    private mutating func displacedSlot(size: Int64, in bounds: SlotBounds) throws -> Slot {
        let block = ContentHash.blockSize
        // Behind all places of the file, so that no part is predicted here.
        let offset = (displacedEnd ?? bounds.file).roundedUp(to: block)
        guard size <= bounds.all, offset <= bounds.all - size else { throw PartLayout.isFull }
        displacedEnd = offset + max(size, 1)
        return Slot(offset: offset, capacity: size)
    }
}

/// The sizes of the staged area of an upload.
struct SlotBounds: Sendable {
    /// The size of the file, or the limit of a file.
    let size: Int64
    /// The end of the places of the file: its size, rounded up to blocks.
    let file: Int64
    /// The end of all slots.
    let all: Int64

    init(_ upload: StoredUpload, within limits: UploadLimits) {
        size = min(upload.size ?? limits.fileSize, .max / 4)
        file = size.roundedUp(to: ContentHash.blockSize)
        all = 2 * size + 16 * ContentHash.blockSize
    }
}

extension Int64 {
    fileprivate func roundedUp(to unit: Int64) -> Int64 { (self + unit - 1) / unit * unit }
}

extension SharedUploadState {
    /// The state as a member of the row.
    var json: JSONValue {
        var fields: [String: JSONValue] = ["order": .integer(Int64(order)), "barrier": .integer(Int64(barrier))]
        fields["unit"] = unit.map(JSONValue.integer)
        fields["blocksEnd"] = blocksEnd.map(JSONValue.integer)
        fields["displacedEnd"] = displacedEnd.map(JSONValue.integer)
        fields["lease"] = lease.map { .string($0.id) }
        fields["renewals"] = lease.map { .integer(Int64($0.renewals)) }
        if abandoned > 0 { fields["abandoned"] = .integer(Int64(abandoned)) }
        return .object(fields)
    }

    /// Parses the member of a row; `nil` if it is missing.
    init?(stored value: JSONValue?) {
        guard let fields = value?.objectValue, let order = fields["order"]?.integerValue else { return nil }
        self.order = Int(order)
        barrier = Int(fields["barrier"]?.integerValue ?? 0)
        unit = fields["unit"]?.integerValue
        blocksEnd = fields["blocksEnd"]?.integerValue
        displacedEnd = fields["displacedEnd"]?.integerValue
        lease = fields["lease"]?.stringValue.map { id in
            Lease(id: id, renewals: Int(fields["renewals"]?.integerValue ?? 0))
        }
        abandoned = Int(fields["abandoned"]?.integerValue ?? 0)
    }
}

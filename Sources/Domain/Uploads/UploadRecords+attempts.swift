extension UploadRecords {
    /// Begins to write a part, which ends the right of older requests to record bytes of it.
    ///
    /// - Parameters:
    ///   - request: What the request is about to write.
    ///   - id: The upload.
    ///   - known: The id of the part's row, if it is known.
    ///   - dead: A lease whose holder has ended.
    ///   - limits: The sizes of the staged area.
    /// - Returns: The attempt.
    /// - Throws: ``ServiceError/Code/uploadNotFound``, ``ServiceError/Code/uploadConflict`` if the upload is finished
    ///   or another size is recorded, ``ServiceError/Code/invalidContext``, ``ServiceError/Code/payloadTooLarge``;
    ///   ``LeaseHeld`` while a request creates the file.
    func begin(
        _ request: PartRequest,
        of id: ObjectID,
        row known: ObjectID?,
        breaking dead: SharedUploadState.Lease?,
        within limits: UploadLimits
    ) async throws -> PartAttempt {
        let fresh = newID()
        return try await store.write { [clock] writer in
            guard var upload = try writer.upload(id) else { throw UploadService.notFound }
            guard !upload.isFinished else { throw UploadHandle.isFinished }
            var sharing = try upload.sharing ?? writer.sharing(of: upload, within: limits, at: clock())
            try sharing.requireNoLease(but: dead)
            let bounds = SlotBounds(upload, within: limits)
            let order = sharing.nextOrder()
            var part: StoredPart
            let offset: Int64
            switch request {
            case .append(let size):
                (part, offset) = try writer.growingPart(of: id, row: known, fresh: fresh, order: order)
                let recorded = part.part?.size ?? 0
                guard recorded == size else { throw UploadHandle.conflict(at: size, recorded: recorded) }
                // No numbered part gets a place in it.
                sharing.unit = sharing.unit ?? bounds.file
            case .part(let number, let size):
                let found = try writer.part(number, of: id, row: known)
                let slot =
                    try found?.freeSlot(for: size)
                    ?? sharing.slot(number, size: size, predicted: found == nil, in: bounds)
                let unit = sharing.unit ?? size
                part = found ?? StoredPart(id: fresh, upload: id, number: number, part: nil, unit: unit)
                part.write(order, in: slot)
                offset = slot.offset
            case .block(let size):
                var (number, slot) = try sharing.blockSlot(size: size, unit: UploadHandle.blockSize, in: bounds)
                while try writer.part(number, of: id, row: nil) != nil { number += 1 }
                part = StoredPart(id: fresh, upload: id, number: number, part: nil, unit: UploadHandle.blockSize)
                part.write(order, in: slot)
                offset = slot.offset
            case .chunk(let number, let start):
                guard let found = try writer.part(number, of: id, row: known), found.part == nil,
                    let home = found.sharing?.home, home.offset == start
                else { throw UploadHandle.invalidContext }
                part = found
                part.write(order, in: home)
                offset = start
            case .stopAppending:
                (part, offset) = try writer.growingPart(of: id, row: known, fresh: fresh, order: order)
                part.sharing?.isOpen = false
            }
            upload.sharing = sharing
            try writer.update(upload.object, in: .upload)
            try writer.save(part, at: clock())
            return PartAttempt(
                order: order,
                number: part.number,
                row: part.id,
                offset: offset,
                recorded: part.part?.size ?? 0
            )
        }
    }

    /// Stores the progress of a part; on return it survives a power cut.
    ///
    /// - Parameters:
    ///   - part: The part's offset and its stored bytes.
    ///   - attempt: The attempt that wrote them.
    ///   - isOver: Whether the attempt ends with it.
    ///   - id: The upload.
    ///   - limits: The quota of the app's files, and the idle time of a guest's upload.
    /// - Returns: The part as stored, and the upload.
    /// - Throws: ``ServiceError/Code/superseded`` if a newer request has taken the part or began to create the file,
    ///   ``ServiceError/Code/uploadNotFound`` if the upload has ended, ``ServiceError/Code/quotaExceeded``.
    func record(
        _ part: PartLayout.Part,
        by attempt: PartAttempt,
        ending isOver: Bool,
        of id: ObjectID,
        within limits: UploadLimits
    ) async throws -> (part: StoredPart, upload: StoredUpload) {
        try await store.write { [clock] writer in
            guard var upload = try writer.upload(id) else { throw UploadService.notFound }
            guard !upload.isFinished, let sharing = upload.sharing, sharing.barrier < attempt.order,
                var stored = try writer.part(attempt.number, of: id, row: attempt.row),
                stored.sharing?.order == attempt.order, stored.part?.size ?? 0 == attempt.recorded
            else { throw UploadHandle.superseded }
            let before = stored.part
            stored.sharing?.isOpen = !isOver
            // A part that was sent again with the same bytes stays where it is.
            if before?.tag != part.tag || before?.size != part.size || part.tag.isEmpty { stored.record(part) }
            try writer.save(stored, at: clock())
            let expiry = upload.expiry(after: clock(), idle: limits.guestIdleTimeout)
            guard upload.size == nil || expiry != nil else { return (stored, upload) }
            let counted = upload.counted
            if upload.size == nil { upload.counted += part.size - (before?.size ?? 0) }
            upload.expiresAt = expiry ?? upload.expiresAt
            try writer.recount(upload, before: counted, within: limits.quota, at: clock())
            return (stored, upload)
        }
    }

    /// Stores how many bytes of an incomplete block are acknowledged, and ends the attempt.
    ///
    /// - Parameters:
    ///   - attempt: The attempt that wrote the last of them.
    ///   - bytes: The number of bytes from the begin of the block.
    ///   - id: The upload.
    /// - Throws: ``ServiceError/Code/superseded`` if the attempt could not record bytes,
    ///   ``ServiceError/Code/uploadNotFound``.
    func confirm(_ attempt: PartAttempt, holding bytes: Int64, of id: ObjectID) async throws {
        try await store.write { [clock] writer in
            guard let upload = try writer.upload(id) else { throw UploadService.notFound }
            guard !upload.isFinished, let sharing = upload.sharing, sharing.barrier < attempt.order,
                var stored = try writer.part(attempt.number, of: id, row: attempt.row),
                stored.sharing?.order == attempt.order
            else { throw UploadHandle.superseded }
            stored.sharing?.held = bytes
            stored.sharing?.isOpen = false
            try writer.save(stored, at: clock())
        }
    }

    /// Whether a request of any server began to write a part, or recorded bytes of it, after a time, and did not end.
    func hasOpenAttempt(of id: ObjectID, since start: Timestamp) async throws -> Bool {
        try await store.read { reader in
            try reader.find(.parts(of: id)).compactMap(StoredPart.init(stored:))
                .contains { $0.sharing?.isOpen == true && $0.updatedAt ?? start > start }
        }
    }

    /// Removes a block of which no byte was acknowledged, so that its slot can be used again.
    func release(_ attempt: PartAttempt, of id: ObjectID) async throws {
        try await store.write { writer in
            guard var upload = try writer.upload(id), var sharing = upload.sharing,
                let stored = try writer.part(attempt.number, of: id, row: attempt.row), stored.part == nil,
                stored.sharing?.order == attempt.order
            else { return }
            _ = try writer.delete(stored.id, in: .uploadPart)
            guard sharing.blocksEnd == attempt.offset + UploadHandle.blockSize else { return }
            sharing.blocksEnd = attempt.offset
            upload.sharing = sharing
            try writer.update(upload.object, in: .upload)
        }
    }
}

extension StoredPart {
    /// The capacity of the slot of the part that grows.
    fileprivate static let unbounded: Int64 = 1 << 50

    /// The part that grows, before its first byte.
    fileprivate static func growing(_ id: ObjectID, of upload: ObjectID) -> StoredPart {
        StoredPart(id: id, upload: upload, number: UploadHandle.number, part: nil, unit: 0)
    }

    /// A slot of the part in which no recorded byte is; `nil` if it has none that is large enough.
    fileprivate func freeSlot(for size: Int64) -> SharedUploadState.Slot? {
        let slot = part == nil ? sharing?.home : sharing?.spare
        return slot.flatMap { $0.capacity >= size ? $0 : nil }
    }

    /// Notes that a request writes to a slot.
    fileprivate mutating func write(_ order: Int, in slot: SharedUploadState.Slot) {
        let home = part.map { SharedUploadState.Slot(offset: $0.offset, capacity: $0.size) } ?? slot
        var new = sharing ?? Sharing(order: order, isOpen: true, home: home)
        (new.order, new.isOpen) = (order, true)
        if part == nil || new.home.offset == slot.offset { new.home = slot } else { new.spare = slot }
        sharing = new
    }

    /// Replaces the recorded bytes; their slot becomes the spare one.
    fileprivate mutating func record(_ new: PartLayout.Part) {
        part = new
        sharing?.held = 0
        guard var now = sharing, let spare = now.spare, spare.offset == new.offset, now.home.offset != new.offset else {
            return
        }
        (now.home, now.spare) = (spare, now.home)
        sharing = now
    }
}

extension ReadTransaction {
    /// The part of an upload with a number; `row` is its id, if it is known.
    func part(_ number: Int, of upload: ObjectID, row: ObjectID?) throws -> StoredPart? {
        if let row, let found = try object(row, in: .uploadPart).flatMap(StoredPart.init(stored:)),
            found.upload == upload, found.number == number
        {
            return found
        }
        let isNumber = Condition.field(FieldPath(field: "number"), .equals(.integer(Int64(number))))
        let belongs = ObjectQuery.parts(of: upload).condition
        let query = ObjectQuery(.uploadPart, where: .all([belongs, isNumber]), page: .first)
        return try find(query).lazy.compactMap(StoredPart.init(stored:)).first
    }

    /// The state of an upload that began on a server that was alone: its parts stay, new ones go behind them.
    fileprivate func sharing(
        of upload: StoredUpload,
        within limits: UploadLimits,
        at now: Timestamp
    ) throws -> SharedUploadState {
        var sharing = SharedUploadState(begunAloneBefore: now)
        let parts = try find(.parts(of: upload.id)).compactMap(StoredPart.init(stored:))
        guard let first = parts.first else { return sharing }
        let end = parts.compactMap(\.part?.end).max() ?? 0
        (sharing.unit, sharing.blocksEnd) = (first.unit, 0)
        sharing.displacedEnd = max(end, SlotBounds(upload, within: limits).file)
        return sharing
    }
}

extension WriteTransaction {
    /// The part that grows, to which a request begins to write, and where its bytes begin.
    ///
    /// - Parameters:
    ///   - id: The upload.
    ///   - known: The id of the part's row, if it is known.
    ///   - fresh: The id of the row if there is none.
    ///   - order: The order of the request.
    /// - Returns: The part, which is not saved, and its offset.
    /// - Throws: Errors of the store.
    fileprivate func growingPart(
        of id: ObjectID,
        row known: ObjectID?,
        fresh: ObjectID,
        order: Int
    ) throws -> (part: StoredPart, offset: Int64) {
        var part = try part(UploadHandle.number, of: id, row: known) ?? .growing(fresh, of: id)
        let offset = part.part?.offset ?? 0
        part.write(order, in: SharedUploadState.Slot(offset: offset, capacity: StoredPart.unbounded))
        return (part, offset)
    }

    /// Adds or replaces the row of a part.
    fileprivate func save(_ part: StoredPart, at now: Timestamp) throws {
        if part.updatedAt == nil {
            try insert(part.object(at: now), into: .uploadPart)
        } else {
            try update(part.object(at: now), in: .uploadPart)
        }
    }
}

/// Leases on the creation of an upload's file (``FinishLease``).
extension UploadRecords {
    /// Takes the lease; from then on requests that write bytes record nothing, and new ones wait.
    ///
    /// - Parameters:
    ///   - id: The upload.
    ///   - dead: A lease whose holder has ended.
    /// - Returns: The lease; `nil` if the upload is finished or has ended.
    /// - Throws: ``LeaseHeld`` if another request has it.
    func takeLease(of id: ObjectID, breaking dead: SharedUploadState.Lease?) async throws -> FinishLease? {
        let holder = String(UInt64.random(in: .min ... .max), radix: 36)
        return try await store.write { [clock] writer in
            guard var upload = try writer.upload(id), !upload.isFinished else { return nil }
            var sharing = upload.sharing ?? SharedUploadState(begunAloneBefore: clock())
            try sharing.requireNoLease(but: dead)
            sharing.barrier = sharing.nextOrder()
            sharing.lease = SharedUploadState.Lease(id: holder)
            upload.sharing = sharing
            try writer.update(upload.object, in: .upload)
            return FinishLease(id: holder, upload: id, abandoned: sharing.abandoned)
        }
    }

    /// Renews a lease; returns `false` if it is lost.
    func renew(_ lease: FinishLease) async throws -> Bool {
        try await store.write { writer in
            guard var upload = try writer.upload(lease.upload), upload.sharing?.lease?.id == lease.id else {
                return false
            }
            upload.sharing?.lease?.renewals += 1
            try writer.update(upload.object, in: .upload)
            return true
        }
    }

    /// Ends a lease without a file; with another one, it does nothing.
    ///
    /// - Parameters:
    ///   - lease: The lease.
    ///   - leavesPut: Whether a put under its name failed, so that the next holder uses another one.
    /// - Throws: Errors of the store; the lease is then dead after a while.
    func release(_ lease: FinishLease, leavingPut leavesPut: Bool) async throws {
        try await store.write { writer in
            guard var upload = try writer.upload(lease.upload), upload.sharing?.lease?.id == lease.id else { return }
            upload.sharing?.lease = nil
            if leavesPut { upload.sharing?.abandoned += 1 }
            try writer.update(upload.object, in: .upload)
        }
    }

    /// Whether the file of a put exists, and has the blob of this put and not that of another lease.
    ///
    /// - Parameters:
    ///   - put: The id in a note or of a record.
    ///   - blob: The blob.
    ///   - isCertain: Whether the answer must hold after a write that failed (``certainlyHasFile(_:with:)``).
    /// - Returns: `false` also if another put of the file has the record.
    /// - Throws: Errors of the store.
    func isCommitted(_ put: ObjectID, with blob: BlobName, certainly isCertain: Bool) async throws -> Bool {
        guard isShared else {
            return isCertain ? try await certainlyHasFile(put, with: blob) : try await hasFile(put, with: blob)
        }
        return try await store.write { writer in
            let file = try writer.file(ofPut: put)
            guard try writer.hasFile(file, with: blob) else { return false }
            // The row of a finished upload stays for an hour.
            guard let sharing = try writer.upload(file)?.sharing else { return true }
            return PutName(file: file, number: sharing.abandoned).id == put
        }
    }

    /// The file that an id in a note stands for.
    func file(ofPut put: ObjectID) async throws -> ObjectID {
        guard isShared else { return put }
        return try await store.read { try $0.file(ofPut: put) }
    }
}

extension ReadTransaction {
    fileprivate func file(ofPut put: ObjectID) throws -> ObjectID {
        guard let name = PutName(numbered: put), try object(put, in: .file) == nil, try upload(put) == nil else {
            return put
        }
        return name.file
    }
}

extension StoredUpload {
    /// Throws ``ServiceError/Code/superseded`` unless a lease, or none, is that of the upload.
    ///
    /// - Parameters:
    ///   - own: The lease of the request.
    ///   - dead: A lease whose holder has ended.
    /// - Throws: ``LeaseHeld`` for a request without a lease, if another has it.
    func requireLease(_ own: FinishLease?, breaking dead: SharedUploadState.Lease? = nil) throws {
        guard let own else {
            guard let held = sharing?.lease, held != dead else { return }
            throw LeaseHeld(lease: held)
        }
        guard sharing?.lease?.id == own.id else { throw UploadHandle.superseded }
    }
}

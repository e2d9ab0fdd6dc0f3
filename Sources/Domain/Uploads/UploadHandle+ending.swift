extension UploadHandle {
    /// Cancels the upload and removes its bytes, unless its file exists.
    package func cancel() async throws {
        try await active.locks.withAllLocks { [self] in
            guard !active.with(\.isEnded), !stored.isFinished || stored.kind == .partial else { return }
            // Another server, or a write that failed after its commit, can have finished it.
            let isRemoved = try await service.unlessLeased(active.id) { [service, active] dead in
                try await service.removeRow(of: active.id, breaking: dead) { $0.isOpen } != nil
            }
            if isRemoved { await service.discardStaged(of: active) }
        }
    }

    /// Ends the upload: cancels it, or deletes its file if there is one.
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - objects: Deletes the file's record and bytes, under the rules for all files.
    /// - Throws: ``ServiceError/Code/forbidden`` if the upload is finished and the caller is not allowed to delete its
    ///   file; the upload stays then.
    package func terminate(as caller: Caller, deletingFilesOf objects: ObjectService) async throws {
        try await decideCommitIfUndecided()
        guard stored.isFinished, stored.kind != .partial else { return try await cancel() }
        _ = try await objects.perform(ObjectCommand(.file, .delete([active.id], where: nil)), as: caller)
        try await active.locks.withAllLocks { [self] in _ = await drop() }
    }

    /// Removes the upload and its bytes after a final refusal; called with all locks of the upload held.
    ///
    /// A row that cannot be removed now expires like any other.
    ///
    /// - Returns: Whether the row is removed.
    @discardableResult
    func drop() async -> Bool {
        guard (try? await service.removeRow(of: active.id, holding: active.with(\.lease))) != nil else { return false }
        await service.discardStaged(of: active)
        return true
    }
}

/// Bulk runs.
extension CensorService {
    /// Starts a run over the images of a time range.
    ///
    /// - Parameters:
    ///   - range: From the first time on, before the second.
    ///   - rechecks: Whether files that were checked before are checked again.
    ///   - name: Who starts it, for the log.
    ///   - caller: The caller.
    /// - Returns: The run.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/conflict`` while another one runs.
    package func startRun(
        over range: (from: Timestamp, to: Timestamp),
        rechecks: Bool,
        by name: String?,
        as caller: Caller
    ) async throws -> CensorRun {
        try caller.requireMasterKey()
        let now = now()
        let total = try await store.read { reader in
            try reader.count(CensorRun.images(from: range.from, to: range.to), in: .file)
        }
        return try await store.write { [ids] writer in
            try writer.requireNoRun()
            let run = CensorRun(
                id: ids.next(),
                from: range.from,
                to: range.to,
                rechecks: rechecks,
                total: total,
                at: now
            )
            try writer.insert(run.object, into: .censorRun)
            try writer.log(CensorLogEntry(.run(run.id, state: run.state.rawValue, by: name), at: now), ids: ids)
            return run
        }
    }

    /// The runs, newest first; at most 100.
    package func runs(as caller: Caller) async throws -> [CensorRun] {
        try caller.requireMasterKey()
        return try await store.read { reader in
            let newest = [SortKey(FieldPath(field: "objectId"), descending: true)]
            return try reader.find(ObjectQuery(.censorRun, order: newest, page: Page(first: 100))).compactMap(
                CensorRun.init
            )
        }
    }

    /// One run.
    ///
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/objectNotFound``.
    package func run(_ id: ObjectID, as caller: Caller) async throws -> CensorRun {
        try caller.requireMasterKey()
        guard let run = try await store.read({ try $0.run(id) }) else { throw CensorService.noRun }
        return run
    }

    /// Cancels a run or resumes a cancelled one; the state that it has already is no error.
    ///
    /// - Parameters:
    ///   - id: The run.
    ///   - state: Running or cancelled.
    ///   - name: Who changes it, for the log.
    ///   - caller: The caller.
    /// - Returns: The run.
    /// - Throws: ``ServiceError/Code/masterKeyRequired``, ``ServiceError/Code/objectNotFound``,
    ///   ``ServiceError/Code/conflict`` for a run that is done, or while another one runs.
    package func change(
        _ id: ObjectID,
        to state: CensorRun.State,
        by name: String?,
        as caller: Caller
    ) async throws -> CensorRun {
        try caller.requireMasterKey()
        let now = now()
        return try await store.write { [ids] writer in
            guard var run = try writer.run(id) else { throw CensorService.noRun }
            guard run.state != state else { return run }
            guard run.state != .done else { throw ServiceError(.conflict, "The run is done; start another one.") }
            if state == .cancelled {
                try writer.cancel(&run, at: now)
            } else {
                try writer.requireNoRun()
                run.state = .running
                run.updatedAt = now
                try writer.update(run.object, in: .censorRun)
            }
            try writer.log(CensorLogEntry(.run(id, state: state.rawValue, by: name), at: now), ids: ids)
            return run
        }
    }

    private static let noRun = ServiceError(.objectNotFound, "There is no such run.")
}

extension WriteTransaction {
    /// Throws ``ServiceError/Code/conflict`` while a run is running.
    fileprivate func requireNoRun() throws {
        guard let run = try runningRun() else { return }
        throw ServiceError(.conflict, "The run \(run.id) is running; cancel it first.")
    }
}

/// Permits to copy staged bytes, which takes a small request and writes as much as a file has.
///
/// The copies of all guests of an app run one after the other, those of each address in turn, and those of users
/// likewise. The master key needs no permit.
struct CopyPermits: Sendable {
    private let guests = FairPermits<CallerIdentity>(1)
    private let users = FairPermits<CallerIdentity>(1)

    /// The number of copies that wait.
    var waitingCount: Int { guests.waitingCount + users.waitingCount }

    /// Makes a copy with a permit, and stores it without one: a store on another machine can take minutes for that.
    ///
    /// Both bodies run to their end, also if the client disconnects: otherwise it could repeat the copy without the
    /// count of refusals (``UploadHandle/countRefusal(_:)``).
    ///
    /// - Parameters:
    ///   - caller: The caller.
    ///   - waits: Whether to wait for a permit.
    ///   - copy: Copies bytes and checks them.
    ///   - store: Stores the copy.
    /// - Returns: The result of `store`.
    /// - Throws: `CancellationError` if the task is cancelled while it waits; ``ServiceError/Code/overloaded`` if no
    ///   permit is free and `waits` is `false`; errors of the bodies.
    func holding<Copied: Sendable, Result: Sendable>(
        for caller: Caller,
        waiting waits: Bool = true,
        copying copy: @escaping @Sendable () async throws -> Copied,
        storing store: @escaping @Sendable (Copied) async throws -> Result
    ) async throws -> Result {
        let permits: FairPermits<CallerIdentity>? =
            switch caller.group {
            case .guests: guests
            case .users: users
            case .master: nil
            }
        if let permits {
            if waits {
                try await permits.take(for: caller.identity)
            } else {
                guard permits.takeFree() else { throw CopyPermits.areTaken }
            }
        }
        return try await shieldedFromCancellation {
            let copied = try await CopyPermits.returning(permits, after: copy)
            return try await store(copied)
        }
    }

    private static let areTaken = ServiceError(.overloaded, "Another copy is running; try again later.")

    private static func returning<Copied: Sendable>(
        _ permits: FairPermits<CallerIdentity>?,
        after copy: @Sendable () async throws -> Copied
    ) async throws -> Copied {
        defer { permits?.giveBack() }
        return try await copy()
    }
}

extension UploadHandle {
    /// Checks that the caller is allowed to create the file and that the quota has capacity for it.
    ///
    /// This saves the work on the bytes. The transaction that finishes the upload decides.
    ///
    /// - Parameters:
    ///   - size: The size of the file in bytes.
    ///   - pieces: Partial uploads that end with this one.
    /// - Returns: The caller who began the upload, in the current state.
    /// - Throws: ``ServiceError/Code/payloadTooLarge``, ``ServiceError/Code/forbidden``,
    ///   ``ServiceError/Code/quotaExceeded``.
    func requireEnding(size: Int64, spending pieces: [ObjectID] = []) async throws -> Caller {
        try service.limits.requireSize(size)
        let caller = try await service.sessions.revalidated(stored.creator.caller(in: service.app))
        try await service.files.requireCreating(as: caller)
        try await service.records.requireQuota(
            for: size,
            ending: Set(pieces + [active.id]),
            within: service.limits.quota
        )
        return caller
    }

    /// Counts a refusal that no later attempt with the same properties changes, for which the bytes were read or copied.
    ///
    /// - Parameter count: How often the file has the bytes.
    /// - Returns: Whether the limit is reached: the caller removes the upload, so that small requests cannot make the
    ///   server copy its bytes again and again.
    func countRefusal(_ count: Int = 1) async -> Bool {
        try? await service.change(active) { $0.refusals += count }
        return stored.refusals >= UploadHandle.maxRefusals
    }

    private static let maxRefusals = 3
}

extension UploadRecords {
    /// Checks that a file of a size in bytes does not exceed the quota.
    ///
    /// - Parameters:
    ///   - size: The size of the file.
    ///   - ended: The uploads that end with it and count no more then.
    ///   - quota: The maximum size of the app's files, in bytes.
    /// - Throws: ``ServiceError/Code/quotaExceeded``.
    func requireQuota(for size: Int64, ending ended: Set<ObjectID>, within quota: Int64?) async throws {
        guard let quota else { return }
        try await store.read { reader in
            let counted = try ended.reduce(Int64(0)) { try $0 + (reader.upload($1)?.counted ?? 0) }
            try (reader.usage() - .upload(counted) + .file(size)).requireWithin(quota)
        }
    }
}

internal import Synchronization

/// Bounds the memory of large descriptions, which are in memory only while requests use them.
///
/// A client can keep a request open for long with few bytes, so the limit of open connections is not enough. Guests,
/// users and the master key are counted separately; the guests at one address have half of the memory of guests, and
/// one user half of that of users.
final class LargeDescriptions: Sendable {
    private struct Share: Hashable {
        let group: CallerGroup
        /// A client address or the id of a user; `nil` for the whole group.
        let member: String?
    }

    /// The count of an upload whose requests share the description.
    private struct Use {
        let memory: Int
        var requests: Int
    }

    private struct State {
        var memory: [Share: Int] = [:]
        var uses: [ObjectID: Use] = [:]
    }

    private let state = Mutex(State())
    private let limit: Int

    /// The maximum estimated memory of the descriptions of a group, in bytes.
    static let limit = 64 << 20

    init(limit: Int = LargeDescriptions.limit) {
        self.limit = limit
    }

    /// Runs a body that uses a description.
    ///
    /// - Parameters:
    ///   - memory: The estimated memory of the description in bytes; `nil` if it does not count.
    ///   - creator: The creator of the upload, in whose shares it counts.
    ///   - upload: The upload, if its requests share the description, which counts once then; `nil` if each has its own.
    ///   - body: The body.
    /// - Returns: The result of the body.
    /// - Throws: ``ServiceError/Code/overloaded`` if the descriptions of a share are over the limit with this one, unless
    ///   it is the only one; errors of the body.
    func counting<Result>(
        _ memory: Int?,
        of creator: StoredUpload.Creator,
        sharedBy upload: ObjectID? = nil,
        _ body: () async throws -> Result
    ) async throws -> Result {
        guard let memory else { return try await body() }
        var shares = [Share(group: creator.group, member: nil)]
        let member: String? =
            switch creator.group {
            case .guests: creator.address
            case .users: creator.user?.description
            case .master: nil
            }
        if let member { shares.append(Share(group: creator.group, member: member)) }
        if let full = enter(shares, memory, upload) { throw refusal(of: full) }
        defer { leave(shares, memory, upload) }
        return try await body()
    }

    private func limit(of share: Share) -> Int { share.member == nil ? limit : limit / 2 }

    /// Counts a request in all shares; or, if a share is full, counts it in none and returns that share.
    private func enter(_ shares: [Share], _ memory: Int, _ upload: ObjectID?) -> Share? {
        state.withLock { state in
            if let upload, state.uses[upload] != nil {
                state.uses[upload]?.requests += 1
                return nil
            }
            let full = shares.first { share in
                let used = state.memory[share, default: 0]
                // The operator can allow descriptions that are larger than the limit.
                return used > 0 && used + memory > limit(of: share)
            }
            if let full { return full }
            for share in shares { state.memory[share, default: 0] += memory }
            if let upload { state.uses[upload] = Use(memory: memory, requests: 1) }
            return nil
        }
    }

    private func leave(_ shares: [Share], _ memory: Int, _ upload: ObjectID?) {
        state.withLock { state in
            var memory = memory
            if let upload, var use = state.uses[upload] {
                use.requests -= 1
                state.uses[upload] = use.requests > 0 ? use : nil
                guard use.requests == 0 else { return }
                memory = use.memory
            }
            for share in shares {
                let rest = state.memory[share, default: 0] - memory
                state.memory[share] = rest > 0 ? rest : nil
            }
        }
    }

    private func refusal(of share: Share) -> ServiceError {
        let whose =
            switch (share.group, share.member) {
            case (.guests, nil): "guests"
            case (.guests, _): "guests at one address"
            case (.users, nil): "users"
            case (.users, _): "one user"
            case (.master, _): "the master key"
            }
        return ServiceError(
            .overloaded,
            "Requests for uploads of \(whose) that have more than \(ActiveUploads.idleSize) bytes of metaData and ACL "
                + "take \(limit(of: share)) bytes of memory, the limit; try again later."
        )
    }
}

/// How a request uses the description of its upload, which is not in memory otherwise if it is large.
package enum DescriptionUse: Sendable {
    /// The request does not need it.
    case unused
    /// It is read from the row, and counts (``LargeDescriptions``).
    case counted
    /// The same for a request that has counted it before.
    case alreadyCounted
}

extension UploadDescription {
    /// Whether it has at most a number of bytes as text, together with the header of a tus client.
    func fits(in size: Int, with header: String?) -> Bool {
        var rest = size - (header?.utf8.count ?? 0)
        return JSONValue.object(metaData).fits(in: &rest) && JSONValue.object(acl?.json ?? [:]).fits(in: &rest)
    }

    /// The estimated memory in bytes, if the description is too large to stay in memory between requests.
    func largeMemory(with header: String?) -> Int? {
        guard !fits(in: ActiveUploads.idleSize, with: header) else { return nil }
        return JSONValue.object(metaData).memory + JSONValue.object(acl?.json ?? [:]).memory
            + (header?.storedMemory ?? 0)
    }
}

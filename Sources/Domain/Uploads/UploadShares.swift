internal import Crypto

/// Counts of unfinished uploads, which the limits for each group of callers use.
///
/// They count all guests and those at each address, all users and each of them. Each count is an object of `_Usage`,
/// which the transactions that begin and end uploads change. The master key has no limit, so it has no count.
extension StoredUpload.Creator {
    /// The ids of the counts to which an upload of this creator belongs.
    fileprivate var shares: [ObjectID] {
        switch group {
        case .guests:
            [StoredUpload.Creator.guests] + (address.map { [StoredUpload.Creator.share(ofAddress: $0)] } ?? [])
        case .users: [StoredUpload.Creator.users] + (user.map { [StoredUpload.Creator.share(of: $0)] } ?? [])
        case .master: []
        }
    }

    fileprivate static let guests = ObjectID(uncheckedHex: "guests")
    fileprivate static let users = ObjectID(uncheckedHex: "users")

    /// A digest, because the id of an imported user can be any string, including the two above.
    fileprivate static func share(of user: ObjectID) -> ObjectID {
        share(ofText: user.description)
    }

    /// The id contains a slash, which no id of a user contains.
    fileprivate static func share(ofAddress address: String) -> ObjectID {
        share(ofText: "address/\(address)")
    }

    private static func share(ofText text: String) -> ObjectID {
        ObjectID(uncheckedHex: SHA256.hash(data: Array(text.utf8)).hexadecimal)
    }
}

extension UploadLimits {
    /// Throws ``ServiceError/Code/tooManyUploads`` if a count is above the limit of its share.
    fileprivate func requireOpen(_ counts: [ObjectID: Int64], of creator: StoredUpload.Creator) throws {
        func require(_ share: ObjectID, atMost limit: Int, _ whose: String, _ setting: String) throws {
            guard counts[share] ?? 0 > Int64(limit) else { return }
            throw ServiceError(
                .tooManyUploads,
                "\(whose) \(limit) unfinished uploads, the limit (uploads.\(setting)); try again later.",
                limit: "uploads.\(setting)"
            )
        }
        typealias Creator = StoredUpload.Creator
        switch creator.group {
        case .guests:
            let whose = "The guests of the app have"
            let limit = min(openGuests, open)
            try require(Creator.guests, atMost: limit, whose, "maxOpenGuests")
            guard let address = creator.address else { return }
            let these = "The guests at this address have"
            try require(Creator.share(ofAddress: address), atMost: min(openAddress, limit), these, "maxOpenAddress")
        case .users:
            try require(Creator.users, atMost: open, "The users of the app have", "maxOpen")
            guard let user = creator.user else { return }
            try require(Creator.share(of: user), atMost: min(openUser, open), "The user has", "maxOpenUser")
        case .master:
            break
        }
    }
}

extension WriteTransaction {
    /// Counts an upload that begins.
    ///
    /// - Throws: ``ServiceError/Code/tooManyUploads`` if its creator's share is used up.
    func countOpened(by creator: StoredUpload.Creator, within limits: UploadLimits, at now: Timestamp) throws {
        var counts: [ObjectID: Int64] = [:]
        for share in creator.shares { counts[share] = try openCount(share) + 1 }
        try limits.requireOpen(counts, of: creator)
        for (share, count) in counts { try save(count, of: share, at: now) }
    }

    /// Subtracts an upload that ends.
    func countClosed(by creator: StoredUpload.Creator, at now: Timestamp) throws {
        for share in creator.shares { try save(try openCount(share) - 1, of: share, at: now) }
    }

    /// Computes all counts from uploads.
    ///
    /// - Parameters:
    ///   - uploads: All uploads that count.
    ///   - known: The ids of the stored counts.
    ///   - now: The time of the change.
    /// - Throws: Errors of the store.
    func recountShares(of uploads: [StoredUpload], known: [ObjectID], at now: Timestamp) throws {
        var counts: [ObjectID: Int64] = [:]
        for upload in uploads {
            for share in upload.creator.shares { counts[share, default: 0] += 1 }
        }
        for id in known where id != Usage.id && counts[id] == nil { counts[id] = 0 }
        for (share, number) in counts where try openCount(share) != number { try save(number, of: share, at: now) }
    }

    private func openCount(_ share: ObjectID) throws -> Int64 {
        try object(share, in: .usage)?.fields["uploads"]?.integerValue ?? 0
    }

    private func save(_ count: Int64, of share: ObjectID, at now: Timestamp) throws {
        guard count > 0 else {
            _ = try delete(share, in: .usage)
            return
        }
        let before = try object(share, in: .usage)
        let object = StoredObject(
            id: share,
            createdAt: before?.createdAt ?? now,
            updatedAt: now,
            fields: ["uploads": .integer(count)]
        )
        if before == nil {
            try insert(object, into: .usage)
        } else {
            try update(object, in: .usage)
        }
    }
}

internal import Synchronization

/// Claims on partial uploads whose bytes are copied to a file, from the beginning of the copy until the file exists or is
/// refused.
///
/// The permit to copy ends before the file is stored. Without a claim, final uploads of the same pieces could copy them
/// until one of their files exists. Each server has its own claims, as it has its own permits.
final class PieceClaims: Sendable {
    private let claimed = Mutex<Set<ObjectID>>([])

    /// Claims all pieces.
    ///
    /// - Throws: ``ServiceError/Code/overloaded`` if one of them is claimed; none is claimed by this call then.
    func claim(_ pieces: Set<ObjectID>) throws {
        let isFree = claimed.withLock { claimed in
            guard claimed.isDisjoint(with: pieces) else { return false }
            claimed.formUnion(pieces)
            return true
        }
        guard isFree else { throw PieceClaims.areClaimed }
    }

    /// Ends claims.
    func release(_ pieces: Set<ObjectID>) {
        claimed.withLock { $0.subtract(pieces) }
    }

    private static let areClaimed = ServiceError(
        .overloaded,
        "Another request is creating a file of one of these partial uploads; try again later."
    )
}

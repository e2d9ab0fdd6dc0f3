internal import Synchronization

/// The perceptual hashes of all known images in memory: 48 bytes each, so that an image is compared with a hundred
/// thousand of them in a millisecond.
///
/// Thread-safe; follows the change feed.
package final class KnownImages: Sendable {
    private typealias Hashes = [ObjectID: SIMD4<UInt64>]

    private struct State {
        var hashes: Hashes = [:]
        /// The changes since all entries are being read again, which are newer; `nil` at other times.
        var changes: [Change]?
    }

    private let state = Mutex(State())
    private let missed = WakeSignal()

    /// The time between two readings of all entries, while the store loses track of changes again and again.
    private static let pause = Duration.seconds(10)

    /// The maximum number of entries of an app, which bounds the memory.
    package static let limit = 1_000_000

    /// Creates an empty list, until ``follow(_:)`` has read the stored entries.
    package init() {}

    /// The number of entries with a hash.
    package var count: Int { state.withLock(\.hashes.count) }

    /// Reads the stored entries and follows their changes; call it once.
    package func follow(_ store: any ObjectStore) async throws {
        let filter = ChangeFilter(.knownImage, [.created, .deleted], states: .after)
        store.changes.subscribe(to: [filter]) { [weak self] event in
            guard case .changes(let changes) = event else {
                self?.missed.set()
                return
            }
            self?.apply(changes)
        }
        try await read(store)
    }

    /// Reads all entries again each time the store lost track of changes, until the task is cancelled.
    package func readMissedChanges(of store: any ObjectStore) async {
        while !Task.isCancelled {
            await missed.wait()
            guard !Task.isCancelled else { return }
            do { try await read(store) } catch { missed.set() }
            try? await Task.sleep(for: KnownImages.pause)
        }
    }

    private func read(_ store: any ObjectStore) async throws {
        state.withLock { $0.changes = [] }
        var (hashes, last): (Hashes, ObjectID?) = ([:], nil)
        repeat {
            let page = try await store.read { [last] reader in
                let isLater = last.map {
                    Condition.field(FieldPath(field: "objectId"), .compares(.greater, .string($0.description)))
                }
                return try reader.find(
                    ObjectQuery(
                        .knownImage,
                        where: .all(isLater.map { [$0] } ?? []),
                        order: [SortKey(FieldPath(field: "objectId"))],
                        page: Page(first: 1000)
                    )
                ).map(KnownImage.init)
            }
            last = page.last?.id
            for image in page { hashes[image.id] = image.hash?.words }
        } while last != nil
        state.withLock { state in
            state.hashes = hashes
            for change in state.changes ?? [] { KnownImages.apply(change, to: &state.hashes) }
            state.changes = nil
        }
    }

    private func apply(_ changes: [Change]) {
        state.withLock { state in
            for change in changes { KnownImages.apply(change, to: &state.hashes) }
            state.changes?.append(contentsOf: changes)
        }
    }

    private static func apply(_ change: Change, to hashes: inout Hashes) {
        let image = try? change.after?.object()
        hashes[change.id] = image.flatMap { KnownImage($0).hash?.words }
    }

    /// The entry whose hash differs least from one of the hashes, if it differs in at most `distance` bits.
    func nearest(to candidates: [PerceptualHash], within distance: Int) -> (id: ObjectID, distance: Int)? {
        guard !candidates.isEmpty else { return nil }
        // Compared outside the lock, because commits wait for it.
        let hashes = state.withLock(\.hashes)
        var nearest: (id: ObjectID, distance: Int)?
        for (id, words) in hashes {
            for candidate in candidates {
                let found = candidate.distance(to: PerceptualHash(words: words, quality: 0))
                if found <= distance, found < nearest?.distance ?? .max { nearest = (id, found) }
            }
        }
        return nearest
    }
}

/// Rejects images that people blocked before, or that are in an imported list, and slightly changed copies of them.
package struct KnownImageChecker: Checker {
    private let store: any ObjectStore
    private let known: KnownImages

    /// - Parameters:
    ///   - store: Has the entries.
    ///   - known: Their hashes.
    package init(store: any ObjectStore, known: KnownImages) {
        self.store = store
        self.known = known
    }

    package var name: String { "known" }

    package func check(_ image: CheckedImage, under settings: CensorSettings) async throws -> CheckResult {
        let exact = try await store.read { reader in
            try reader.find(ObjectQuery(.knownImage, where: KnownImage.has(digest: image.digest), page: .first)).first
        }
        if let exact {
            return .opinion(Opinion(.rejected, "It is the known image \(exact.id).", scores: ["known": 1]))
        }
        let hashes = image.samples.map(\.hash).filter { $0.quality >= PerceptualHash.usefulQuality }
        guard let nearest = known.nearest(to: hashes, within: settings.hashDistance) else { return .none(nil) }
        return .opinion(
            Opinion(
                .rejected,
                "It is a copy of the known image \(nearest.id); \(nearest.distance) of 256 bits differ.",
                scores: ["known": 1 - Double(nearest.distance) / 256]
            )
        )
    }
}

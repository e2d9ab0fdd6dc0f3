internal import Glibc

/// The shares of each app, client address and source file in an ``ImageAdmission``.
///
/// The estimated work of jobs that have started is stored and halves every ten seconds, so that a requester with much
/// recent work is ranked after one with little. No share is an upper limit: a single requester can use all threads.
struct ImageShares {
    /// The three kinds of shares.
    enum Key: Hashable {
        case app(AppID)
        case address(String)
        case file(AppID?, String)
    }

    private struct Share {
        /// The number of permits that its jobs hold.
        var permits = 0
        /// Seconds of recent work, as of ``updated``.
        var work = 0.0
        var updated: ContinuousClock.Instant
    }

    private var shares: [Key: Share] = [:]

    var count: Int { shares.count }

    /// Seconds in which stored work halves.
    private static let halfLife = 10.0
    /// Seconds of work below which a share is removed.
    private static let leastWork = 0.001
    /// The number of entries above which shares without a permit are checked for removal.
    private static let maxEntries = 4096

    /// Adds a permit.
    mutating func take(_ requester: ImageRequester, _ now: ContinuousClock.Instant) {
        if shares.count > ImageShares.maxEntries { forget(now) }
        for key in requester.keys { shares[key, default: Share(updated: now)].permits += 1 }
    }

    /// Removes a permit.
    mutating func give(_ requester: ImageRequester, _ now: ContinuousClock.Instant) {
        for key in requester.keys {
            shares[key]?.permits -= 1
            if shares[key]?.permits == 0, work(of: key, now) < ImageShares.leastWork { shares[key] = nil }
        }
    }

    /// Adds seconds of work to a requester that has a permit.
    mutating func charge(_ requester: ImageRequester, _ seconds: Double, _ now: ContinuousClock.Instant) {
        for key in requester.keys {
            let work = work(of: key, now) + seconds
            shares[key]?.work = work
            shares[key]?.updated = now
        }
    }

    /// Seconds of recent work of the app, the address and the file together.
    func work(of requester: ImageRequester, _ now: ContinuousClock.Instant) -> Double {
        requester.keys.reduce(0) { $0 + work(of: $1, now) }
    }

    /// The keys with at least two permits more than the requester's key of the same kind, the most widely shared kind
    /// (app) first.
    func larger(than requester: ImageRequester) -> [Key] {
        requester.keys.compactMap { own in
            let most = shares.filter { $0.key.isLike(own) }.max { $0.value.permits < $1.value.permits }
            guard let most, most.value.permits > (shares[own]?.permits ?? 0) + 1 else { return nil }
            return most.key
        }
    }

    private func work(of key: Key, _ now: ContinuousClock.Instant) -> Double {
        guard let share = shares[key], share.work > 0 else { return 0 }
        return share.work * exp2(-max(0, (now - share.updated) / .seconds(1)) / ImageShares.halfLife)
    }

    private mutating func forget(_ now: ContinuousClock.Instant) {
        let idle = shares.filter { $0.value.permits == 0 && work(of: $0.key, now) < ImageShares.leastWork }
        for key in idle.keys { shares[key] = nil }
    }
}

extension ImageShares.Key {
    fileprivate func isLike(_ other: ImageShares.Key) -> Bool {
        switch (self, other) {
        case (.app, .app), (.address, .address), (.file, .file): true
        default: false
        }
    }
}

extension ImageRequester {
    var keys: [ImageShares.Key] {
        var keys: [ImageShares.Key] = []
        if let app { keys.append(.app(app)) }
        if let address { keys.append(.address(address)) }
        if let fileKey { keys.append(fileKey) }
        return keys
    }

    var fileKey: ImageShares.Key? { file.map { .file(app, $0) } }
}

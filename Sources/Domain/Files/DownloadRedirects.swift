/// Which downloads of an app are redirected to the store of its blobs (`downloads.redirects`).
package enum RedirectedFiles: String, Sendable, CaseIterable {
    /// None: the server sends the bytes of all files.
    case off
    /// Those of files whose URL needs no signature.
    case `public`
    /// Also those of files whose URL needs a signature.
    case all
}

/// Which downloads of an app are redirected, and for how long the URLs of the store are valid (docs/redirects.md).
package struct DownloadRedirects: Sendable, Hashable {
    /// Which files.
    package var files: RedirectedFiles
    /// The minimum size in bytes: a redirect costs a client a further request, and often a further connection.
    package var minSize: Int64
    /// The minimum number of seconds for which a URL is valid, unless the file can be cached for less.
    package var life: Int

    /// Creates the settings; the defaults are those of the server.
    package init(files: RedirectedFiles = .off, minSize: Int64 = 1 << 20, life: Int = 3600) {
        self.files = files
        self.minSize = minSize
        self.life = life
    }

    /// Whether downloads of a file can be redirected, as far as the file decides.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - isPrivate: Whether its URL needs a signature.
    /// - Returns: `false` if the server sends its bytes in any case.
    package func include(_ file: ServedFile, isPrivate: Bool) -> Bool {
        switch files {
        case .off: false
        case .public: !isPrivate && file.size >= minSize
        case .all: file.size >= minSize
        }
    }

    /// When the URL of a redirect is valid.
    ///
    /// It begins at a multiple of a quarter of its life, so that a file has the same URL for that time and clients find
    /// its bytes in their caches.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - seconds: For how long the client is allowed to cache the file: the URL does not last longer.
    /// - Returns: The period; `nil` if there is no time for one.
    package func period(at now: Timestamp, cachedFor seconds: Int) -> RedirectPeriod? {
        // A URL is valid for up to a quarter more than its life.
        let life = min(life, seconds / 5 * 4 + seconds % 5 * 4 / 5)
        guard life > 0 else { return nil }
        let step = max(1, life / 4)
        return RedirectPeriod(
            start: now.wholeSeconds / Int64(step) * Int64(step),
            seconds: life + step,
            life: life
        )
    }

    /// When the URL of a redirect is valid, and shorter times for a store whose own keys end earlier.
    ///
    /// Each further period has half the life of the one before, so that URLs still change seldom; the last one has at
    /// least a minute. For less, a redirect is not worth its request.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - seconds: For how long the client is allowed to cache the file, as of ``period(at:cachedFor:)``.
    /// - Returns: The periods; empty if there is no time for one.
    package func periods(at now: Timestamp, cachedFor seconds: Int) -> [RedirectPeriod] {
        guard let longest = period(at: now, cachedFor: seconds) else { return [] }
        let lives = sequence(first: longest.life / 2) { $0 / 2 }.prefix { $0 >= DownloadRedirects.shortestHalf }
        let shorter = lives.compactMap { life in
            DownloadRedirects(files: files, minSize: minSize, life: life).period(at: now, cachedFor: seconds)
        }
        return [longest] + shorter
    }

    /// The minimum life in seconds of a period in the place of a longer one.
    private static let shortestHalf = 60
}

/// When the URL of a redirect is valid.
package struct RedirectPeriod: Sendable, Hashable {
    /// Its beginning in seconds since 1970, at most a quarter of ``life`` ago.
    package let start: Int64
    /// Its length in seconds.
    package let seconds: Int
    /// The seconds for which it is valid at least.
    package let life: Int

    /// Creates a period.
    package init(start: Int64, seconds: Int, life: Int) {
        self.start = start
        self.seconds = seconds
        self.life = life
    }

    /// For how many seconds clients can cache the redirect: those that use the last moment still have as much time.
    package var cacheSeconds: Int { life / 2 }
}

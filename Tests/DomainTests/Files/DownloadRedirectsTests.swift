import Domain
import Support
import Testing

/// Which files are redirected, and when the URLs of redirects are valid.
@Suite struct DownloadRedirectsTests {
    @Test(
        "the setting, the signature and the size decide about a file",
        arguments: [
            (RedirectedFiles.off, false, 0, false), (.off, true, 0, false), (.public, false, 0, true),
            (.public, true, 0, false), (.all, false, 0, true), (.all, true, 0, true), (.public, false, 1, false),
            (.all, true, 1, false),
        ] as [(RedirectedFiles, Bool, Int64, Bool)]
    )
    func files(files: RedirectedFiles, isPrivate: Bool, larger: Int64, isIncluded: Bool) throws {
        let file = ServedFile(try Samples.record())
        let redirects = DownloadRedirects(files: files, minSize: file.size + larger)
        #expect(redirects.include(file, isPrivate: isPrivate) == isIncluded)
    }

    @Test(
        "a URL lasts for its life at least, never longer than the file can be cached, and is equal for a quarter of it",
        arguments: [1, 2, 3, 4, 7, 300, 3600, 86_400],
        [1, 2, 3, 4, 5, 9, 60, 3599, 3600, 4500, 31_536_000, .max]
    )
    func period(life: Int, cached: Int) {
        let redirects = DownloadRedirects(files: .all, life: life)
        var starts: Set<Int64> = []
        for second in 1_700_000_000..<Int64(1_700_000_000 + min(life, 200)) {
            guard let period = redirects.period(at: Timestamp(milliseconds: second * 1000 + 999), cachedFor: cached)
            else {
                #expect(cached < 2)
                continue
            }
            let rest = period.start + Int64(period.seconds) - second
            #expect(period.start <= second && rest >= period.life && rest <= cached)
            #expect(period.life == life || period.life < life && period.life * 2 >= cached / 2)
            #expect(period.cacheSeconds <= period.life / 2)
            starts.insert(period.start)
        }
        #expect(starts.count <= 5 || life < 8 || cached < life)
    }

    @Test(
        "each further period has half the life, to a minute",
        arguments: [
            (3600, Int.max, [3600, 1800, 900, 450, 225, 112]), (120, .max, [120, 60]), (119, .max, [119]),
            (30, .max, [30]), (3600, 1500, [1200, 600, 300, 150, 75]), (3600, 1, []),
        ] as [(Int, Int, [Int])]
    )
    func shorterPeriods(life: Int, cached: Int, lives: [Int]) {
        let redirects = DownloadRedirects(files: .all, life: life)
        let now = Timestamp(milliseconds: 1_700_000_123_000)
        let periods = redirects.periods(at: now, cachedFor: cached)
        #expect(periods.map(\.life) == lives)
        #expect(periods.first == redirects.period(at: now, cachedFor: cached))
        #expect(periods.allSatisfy { $0.start <= now.wholeSeconds && $0.seconds == $0.life + max(1, $0.life / 4) })
    }
}

import Testing

@testable import Domain

@Suite struct RecentEntriesTests {
    /// Entries whose sizes are their values.
    private func entries(bound: Int) -> RecentEntries<String, Int> { RecentEntries(bound: bound) { $0 } }

    @Test("the sizes of the values stay within the bound, and the values used last stay")
    func bounds() {
        var entries = entries(bound: 100)
        for number in 0..<50 {
            entries.store(10, for: "\(number)")
            #expect(entries.value(for: "0") == 10)
        }
        let kept = (0..<50).filter { entries.value(for: "\($0)") != nil }
        #expect(kept.count <= 10)
        #expect(kept.contains(49))
    }

    @Test("what a value replaces, and what is removed, no longer counts")
    func forgets() {
        var entries = entries(bound: 100)
        entries.store(40, for: "a")
        entries.store(10, for: "a")
        entries.store(40, for: "b")
        entries.remove("b")
        entries.store(40, for: "c")
        #expect(entries.value(for: "a") == 10)
        #expect(entries.value(for: "b") == nil)
        #expect(entries.value(for: "c") == 40)
    }

    @Test("a value that is too large removes the one that it replaces, and is not stored", arguments: [false, true])
    func refuses(replacesOld: Bool) {
        var entries = entries(bound: 100)
        entries.store(10, for: "a")
        // Moves the first value to the old generation.
        if replacesOld { entries.store(45, for: "b") }
        entries.store(51, for: "a")
        #expect(entries.value(for: "a") == nil)
    }
}

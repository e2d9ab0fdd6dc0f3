import Domain
import Support
import Testing

@Suite struct BoundedCacheTests {
    @Test("a value is loaded once and kept")
    func keeps() async {
        let cache = BoundedCache<String, Int>(bound: 10)
        let loads = Counter()
        for _ in 0..<5 { #expect(await cache.value(for: "a") { loads.next() } == 0) }
    }

    @Test("what is not there is asked for again")
    func keepsNoAbsence() async {
        let cache = BoundedCache<String, Int>(bound: 10)
        #expect(await cache.value(for: "a") { nil } == nil)
        #expect(await cache.value(for: "a") { 1 } == 1)
    }

    @Test("what is used stays, what is not goes, and the bound holds")
    func evicts() async {
        let cache = BoundedCache<Int, Int>(bound: 10)
        let loads = Counter()
        for key in 0..<1000 {
            _ = await cache.value(for: key) { key }
            #expect(await cache.value(for: -1) { loads.next() } == 0, "after \(key)")
        }
        let reloaded = Counter()
        for key in 0..<1000 { _ = await cache.value(for: key) { reloaded.next() } }
        #expect(reloaded.next() >= 990)
    }

    @Test("a removed value is loaded anew, and one that was being loaded is not kept")
    func removes() async {
        let cache = BoundedCache<String, Int>(bound: 10)
        _ = await cache.value(for: "a") { 1 }
        cache.remove("a")
        let stale = await cache.value(for: "a") { () -> Int? in
            cache.remove("a")
            return 2
        }
        #expect(stale == 2)
        #expect(await cache.value(for: "a") { 3 } == 3)
    }

    @Test("a bound of nothing keeps nothing")
    func nothing() async {
        let cache = BoundedCache<String, Int>(bound: 0)
        _ = await cache.value(for: "a") { 1 }
        #expect(await cache.value(for: "a") { 2 } == 2)
    }
}

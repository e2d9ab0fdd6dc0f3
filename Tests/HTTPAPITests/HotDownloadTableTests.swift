import Domain
import Hummingbird
import HummingbirdCore
import NIOCore
import Testing

@testable import HTTPAPI

@Suite struct HotDownloadTableTests {
    private let start = NIODeadline.now()

    private func download(_ body: String = "0123456789") -> HotDownload {
        HotDownload(
            Response(status: .ok, headers: [.contentLength: String(body.utf8.count)]),
            path: "/a",
            tag: EntityTag(quoted: "\"a\""),
            body: .memory(ByteBuffer(string: body)),
            size: Int64(body.utf8.count)
        )
    }

    private func entry(_ body: String = "0123456789", dependingOn names: [String] = ["a"]) -> HotDownloadTable.Entry {
        HotDownloadTable.Entry(download: download(body), names: names, expiry: start + .seconds(60))
    }

    private func table(responses: Int = 8, memory: Int = 1 << 20, files: Int = 8) -> HotDownloadTable {
        HotDownloadTable(limits: HotDownloadLimits(responses: responses, memory: memory, files: files))
    }

    private func has(_ table: inout HotDownloadTable, _ target: String) -> Bool {
        table.find(target, at: start).0 != nil
    }

    @Test("responses are wanted at the second request of a target")
    func wanted() {
        var table = table()
        #expect(table.epochIfWanted("/a") == nil)
        #expect(table.epochIfWanted("/b") == nil)
        #expect(table.epochIfWanted("/a") == 0)
    }

    @Test("without a limit of responses none are wanted")
    func disabled() {
        var table = table(responses: 0)
        #expect(table.epochIfWanted("/a") == nil)
        #expect(table.epochIfWanted("/a") == nil)
    }

    @Test("stored responses are found until they expire, and are then wanted at once")
    func expiry() {
        var table = table()
        _ = table.store(entry(), "/a", 0)
        #expect(table.find("/a", at: start + .milliseconds(59_999)).0 != nil)
        #expect(table.find("/b", at: start).0 == nil)
        #expect(table.find("/a", at: start + .seconds(60)).0 == nil)
        #expect(table.find("/a", at: start).0 == nil)
        #expect(table.epochIfWanted("/a") != nil)
    }

    @Test("a change removes all responses that depend on a name, and no others")
    func names() {
        var table = table()
        _ = table.store(entry(dependingOn: ["a"]), "/a", 0)
        _ = table.store(entry(dependingOn: ["a", "a/small"]), "/a/small", 0)
        _ = table.store(entry(dependingOn: ["b"]), "/b", 0)
        _ = table.remove(dependingOn: ["a/small"])
        #expect(has(&table, "/a") && !has(&table, "/a/small") && has(&table, "/b"))
        _ = table.remove(dependingOn: ["a"])
        #expect(!has(&table, "/a") && has(&table, "/b"))
        _ = table.removeAll()
        #expect(!has(&table, "/b"))
    }

    @Test("responses that were read before a change of their file are not stored after it")
    func epochs() {
        var table = table()
        _ = table.remove(dependingOn: ["b", "a"])
        _ = table.store(entry(dependingOn: ["a"]), "/a", 0)
        _ = table.store(entry(dependingOn: ["a"]), "/a", 1)
        #expect(!has(&table, "/a"))
        _ = table.store(entry(dependingOn: ["b"]), "/b", 1)
        #expect(has(&table, "/b"))
        _ = table.store(entry(dependingOn: ["a"]), "/a", 2)
        #expect(has(&table, "/a"))
        _ = table.removeAll()
        _ = table.store(entry(dependingOn: ["c"]), "/c", 2)
        #expect(!has(&table, "/c"))
        _ = table.store(entry(dependingOn: ["c"]), "/c", 3)
        #expect(has(&table, "/c"))
    }

    @Test("a preparation that lasts for more changes than are compared is refused")
    func manyChanges() {
        var table = table()
        for number in 0..<1000 { _ = table.remove(dependingOn: ["\(number)"]) }
        _ = table.store(entry(dependingOn: ["a"]), "/a", 0)
        #expect(!has(&table, "/a"))
        _ = table.store(entry(dependingOn: ["a"]), "/a", 990)
        #expect(has(&table, "/a"))
        _ = table.store(entry(dependingOn: ["995"]), "/995", 990)
        #expect(!has(&table, "/995"))
    }

    @Test("the table has no more responses than its limit, and those in use stay")
    func responses() {
        var table = table(responses: 8)
        _ = table.store(entry(), "/used", 0)
        for number in 0..<100 {
            _ = table.store(entry(), "/\(number)", 0)
            #expect(has(&table, "/used"), "\(number)")
        }
        #expect((0..<100).filter { has(&table, "/\($0)") }.count <= 8)
        #expect(has(&table, "/99"))
    }

    @Test("the table takes no more memory than its limit")
    func memory() {
        let one = entry(String(repeating: "x", count: 1000))
        let limit = 10 * one.cost("/00")
        var table = table(responses: 1000, memory: limit)
        for number in 10..<60 { _ = table.store(one, "/\(number)", 0) }
        let found = (10..<60).filter { has(&table, "/\($0)") }.count
        #expect((5...10).contains(found))
    }

    @Test("a quarter of the files is for bodies that are in memory, too; the others come from memory alone")
    func files() throws {
        var table = table(responses: 100, files: 8)
        for number in 0..<10 {
            let entry = HotDownloadTable.Entry(
                download: try HotDownloadOutputTests.download(size: 1),
                names: [],
                expiry: start + .seconds(60)
            )
            _ = table.store(entry, "/\(number)", 0)
        }
        let found = (0..<10).map { table.find("/\($0)", at: start).0 }
        #expect(found.allSatisfy { $0?.bytes != nil })
        #expect(found.map { $0?.file != nil } == [true, true] + Array(repeating: false, count: 8))
    }

    @Test("a response larger than half of the memory is not stored")
    func large() {
        var table = table(memory: 4000)
        _ = table.store(entry(String(repeating: "x", count: 3000)), "/a", 0)
        #expect(!has(&table, "/a"))
    }

    @Test("removed responses release their memory")
    func released() {
        let one = entry(String(repeating: "x", count: 1000))
        var table = table(responses: 1000, memory: 4 * one.cost("/00"))
        _ = table.store(one, "/keep", 0)
        for number in 10..<60 {
            _ = table.store(one, "/\(number)", 0)
            _ = table.remove("/\(number)")
        }
        #expect(has(&table, "/keep"))
    }
}

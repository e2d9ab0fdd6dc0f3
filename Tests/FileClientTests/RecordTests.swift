import Support
import Testing

@testable import FileClient

@Suite struct RecordTests {
    private static let last = FileRecord(fields: [
        "objectId": .string("id"), "createdAt": .string("2026-01-02T03:04:05.678Z"), "name": .string("n"),
    ])

    private func parameters(_ order: String, _ condition: JSON? = nil, first: Bool = false) -> [String: String] {
        var query = FileQuery()
        query.order = order
        query.condition = condition
        let page = FilePage(query: query, count: 7, after: first ? nil : Self.last, skipping: first ? 0 : 21)
        return Dictionary(page.parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }

    @Test("the first page has the condition and an unambiguous order")
    func first() {
        let condition = JSON.object(["name": .string("x")])
        let expected = ["limit": "7", "where": #"{"name":"x"}"#, "order": "-createdAt,objectId"]
        #expect(parameters("-createdAt", condition, first: true) == expected)
    }

    @Test("a page begins behind the last record, also of those of the same moment")
    func continuation() {
        let date = #"{"__type":"Date","iso":"2026-01-02T03:04:05.678Z"}"#
        let rest = #"{"$or":[{"createdAt":{"$lt":\#(date)}},{"createdAt":\#(date),"objectId":{"$gt":"id"}}]}"#
        #expect(parameters("-createdAt")["where"] == rest)
        let both = #"{"$and":[{"name":"x"},\#(rest)]}"#
        #expect(parameters("-createdAt", .object(["name": .string("x")]))["where"] == both)
        #expect(parameters("objectId")["where"] == #"{"objectId":{"$gt":"id"}}"#)
        #expect(parameters("-objectId")["order"] == "-objectId")
        #expect(parameters("-createdAt")["skip"] == nil)
    }

    @Test("other orders skip", arguments: ["name", "-name", "createdAt,name"])
    func skipping(order: String) {
        #expect(parameters(order)["skip"] == "21")
        #expect(parameters(order)["order"] == order)
        #expect(parameters(order)["where"] == nil)
    }

    @Test(
        "all pages are requested, and the limit is kept",
        arguments: [(nil, 5, 3), (4, 4, 2), (2, 2, 1)] as [(Int?, Int, Int)]
    )
    func pages(limit: Int?, records: Int, requests: Int) async throws {
        let server = try ScriptedServer { request, number in
            let rest = request.path.contains("limit=1&") ? 1 : number < 3 ? 2 : 1
            let record = #"{"objectId":"a","createdAt":"2026-01-02T03:04:05.678Z"}"#
            return .json(#"{"results":[\#(Array(repeating: record, count: rest).joined(separator: ","))]}"#)
        }
        defer { server.close() }
        var query = FileQuery()
        query.pageSize = 2
        query.limit = limit
        var count = 0
        for try await page in server.client().files(query) { count += page.count }
        #expect(count == records)
        #expect(server.requests.count == requests)
    }

    @Test("a record tells size and checksum if they are there")
    func record() throws {
        let text = #"{"objectId":"a","key":"k/ü","metaData":{"size":5,"_checksum":"x"},"other":[1]}"#
        guard case .object(let fields) = try JSON(parsing: text) else { throw Broken() }
        let record = FileRecord(fields: fields)
        #expect(record.size == 5 && record.checksum == "x" && record.name.isEmpty && record.url == nil)
        let client = FileClient(server: "http://s/", appID: "a", appKey: "b")
        #expect(client.contentURL(of: record) == "http://s/k/%C3%BC")
    }

    @Test("thumbnails are written as the SDKs write them")
    func thumbnails() {
        var thumbnail = Thumbnail(width: 200, height: 100)
        #expect(thumbnail.query == "imageView2/2/w/200/h/100")
        (thumbnail.crops, thumbnail.quality, thumbnail.format, thumbnail.height) = (true, 80, .webp, nil)
        #expect(thumbnail.url(of: "http://a/b") == "http://a/b?imageView2/1/w/200/q/80/format/webp")
        let signed = thumbnail.url(of: "http://a/b?e=1&token=t")
        #expect(signed == "http://a/b?imageView2/1/w/200/q/80/format/webp&e=1&token=t")
    }
}

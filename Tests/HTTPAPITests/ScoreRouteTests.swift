import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

/// `GET /censorship/scores`: the histogram of the checkers' scores.
@Suite struct ScoreRouteTests {
    @Test("scores are counted by hundredths, those of a person's verdict and of other checks are not")
    func counts() async throws {
        let server = TestServer()
        try await server.test { client in
            try await insert([0.2, 0.2, 0.2001, 0.2099, 0, 1].map { machine(["nsfw": $0]) }, into: server.store)
            let person = Decision(.passed, by: .person, at: Timestamp(milliseconds: 0), scores: ["nsfw": 0.2])
            try await insert([person, machine(["other": 0.7]), machine([:]), nil], from: 100, into: server.store)
            let response = try await client.send("GET", "/1.1/censorship/scores", nil, Who.master.headers)
            #expect(try response.json() == ["results": .array([step(0, 1, 0), step(0.2, 2, 2), step(1, 1, 0)])])
            let other = try await client.send("GET", "/1.1/censorship/scores?name=other", nil, Who.master.headers)
            #expect(try other.json() == ["results": .array([step(0.7, 1, 0)])])
        }
    }

    @Test("no answer has more than a row for each hundredth, and all files are read")
    func bounded() async throws {
        let server = TestServer()
        let count = CensorService.scorePage + 1
        try await server.test { client in
            try await insert((0..<count).map { machine(["nsfw": Double($0) / Double(count)]) }, into: server.store)
            var files: Int64 = 0
            var cursor: String?
            repeat {
                let query = cursor.map { "?cursor=\($0)" } ?? ""
                let path = "/1.1/censorship/scores\(query)"
                let page = try await client.send("GET", path, nil, Who.master.headers).json()
                let rows = page["results"]?.arrayValue ?? []
                #expect(rows.count <= 101)
                for row in rows.compactMap(\.objectValue) {
                    files += (row["equal"]?.integerValue ?? 0) + (row["above"]?.integerValue ?? 0)
                }
                cursor = page["cursor"]?.stringValue
            } while cursor != nil
            #expect(files == Int64(count))
        }
    }

    private func machine(_ scores: [String: Double]) -> Decision {
        Decision(.passed, by: .machine, at: Timestamp(milliseconds: 0), checker: "classifier", scores: scores)
    }

    private func insert(_ decisions: [Decision?], from first: Int = 0, into store: MemoryObjectStore) async throws {
        let time = Timestamp(milliseconds: 1)
        try await store.write { writer in
            for (number, decision) in decisions.enumerated() {
                let id = try #require(ObjectID("file\(first + number)"))
                let record = StoredObject(id: id, createdAt: time, updatedAt: time, fields: ["name": "a.jpg"])
                try writer.insert(decision.map { record.decided($0) } ?? record, into: .file)
            }
        }
    }

    private func step(_ score: Double, _ equal: Int64, _ above: Int64) -> JSONValue {
        .object(["score": .number(score), "equal": .integer(equal), "above": .integer(above)])
    }
}

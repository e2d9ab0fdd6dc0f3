package import Domain
internal import Testing

/// What every ``FileStore`` promises.
package enum FileStoreContract {
    package static let rules: [ContractRule<any FileStore>] = [
        ContractRule("a record comes back whole, by id and by key") { store in
            let record = try Samples.record()
            try await store.insert([record])
            #expect(try await store.file(id: record.id) == record)
            #expect(try await store.file(key: record.key) == record)
        },
        ContractRule("unknown ids and keys give nothing") { store in
            let stranger = try Samples.record()
            #expect(try await store.file(id: stranger.id) == nil)
            #expect(try await store.file(key: stranger.key) == nil)
        },
        ContractRule("an insert with one taken id adds nothing at all") { store in
            let first = try Samples.record()
            try await store.insert([first])
            let other = try Samples.record()
            await #expect(throws: (any Error).self) {
                try await store.insert([other, try Samples.record(id: first.id)])
            }
            #expect(try await store.count() == 1)
            #expect(try await store.file(id: other.id) == nil)
        },
        ContractRule("a delete returns the record once") { store in
            let record = try Samples.record()
            try await store.insert([record])
            #expect(try await store.delete(id: record.id) == record)
            #expect(try await store.delete(id: record.id) == nil)
            #expect(try await store.file(key: record.key) == nil)
        },
        ContractRule("lists run from the newest to the oldest, ties by id, page by page") { store in
            let ids = ObjectIDGenerator()
            let times = [10, 30, 20, 20].map { Timestamp(milliseconds: $0) }
            let records = try times.map { try Samples.record(id: ids.next(), createdAt: $0) }
            try await store.insert(records)
            let expected = [records[1], records[3], records[2], records[0]]
            #expect(try await store.newest(limit: 10, skip: 0) == expected)
            #expect(try await store.newest(limit: 2, skip: 1) == Array(expected[1...2]))
            #expect(try await store.newest(limit: 5, skip: 4) == [])
        },
        ContractRule("the count follows inserts and deletes") { store in
            #expect(try await store.count() == 0)
            let records = try (0..<3).map { _ in try Samples.record() }
            try await store.insert(records)
            _ = try await store.delete(id: records[1].id)
            #expect(try await store.count() == 2)
        },
    ]
}

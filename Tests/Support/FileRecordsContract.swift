package import Domain
internal import Testing

/// The contract of ``FileRecords`` on every ``ObjectStore``.
package enum FileRecordsContract {
    package static let rules: [ContractRule<any ObjectStore>] = [
        ContractRule("a record comes back whole, by id and by key") { store in
            let record = try Samples.record()
            try await FileRecords(store).insert([record])
            #expect(try await FileRecords(store).file(id: record.id) == record)
            #expect(try await FileRecords(store).file(key: record.key) == record)
        },
        ContractRule("unknown ids and keys give nothing") { store in
            let stranger = try Samples.record()
            #expect(try await FileRecords(store).file(id: stranger.id) == nil)
            #expect(try await FileRecords(store).file(key: stranger.key) == nil)
        },
        ContractRule("an insert with one taken id adds nothing at all") { store in
            let first = try Samples.record()
            try await FileRecords(store).insert([first])
            let other = try Samples.record()
            await #expect(throws: ServiceError.self) {
                try await FileRecords(store).insert([other, try Samples.record(id: first.id)])
            }
            #expect(try await FileRecords(store).file(id: other.id) == nil)
        },
        ContractRule("a key is taken once") { store in
            let first = try Samples.record()
            let second = try Samples.record(key: first.key)
            let error = await #expect(throws: ServiceError.self) {
                try await FileRecords(store).insert([first, second])
            }
            #expect(error?.code == .duplicateValue)
        },
    ]
}

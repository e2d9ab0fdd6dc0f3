internal import Domain
internal import NIOCore
internal import Testing

/// Removals of bytes whose name another upload can have got.
extension StagingAreaContract {
    static let discarding: [ContractRule<any StagingArea>] = [
        ContractRule("bytes that are needed are not discarded, nor those of which that is unknown") { area in
            let staged = try await area.stage(ByteBuffer(string: "bytes"), as: ObjectIDGenerator().next())
            await staged.discard { true }
            await staged.discard { throw Broken() }
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
            await staged.discard { false }
            #expect(try await area.leftovers() == [])
        },
        ContractRule("a shared area does not discard bytes that arrive after it lists them") { area in
            guard area.isShared else { return }
            let name = ObjectIDGenerator().next()
            let ended = try await area.stage(ByteBuffer(string: "ended"), as: name)
            await ended.discard {
                let writer = try await area.stage(as: name).write(at: 5, digesting: [])
                try await writer.append(ByteBuffer(string: "next"))
                _ = try await writer.finish()
                return false
            }
            let next = try await area.stage(as: name)
            #expect(try await next.ranges(recorded: RangeSet()) == RangeSet(5..<9))
            await next.discard()
        },
    ]
}

internal import Crypto
package import Domain
internal import NIOCore
internal import Testing

/// The contract of every ``StagingArea``.
package enum StagingAreaContract {
    package static let rules: [ContractRule<any StagingArea>] = bytes + discarding + notes

    private static let bytes: [ContractRule<any StagingArea>] = [
        ContractRule("facts and head are those of the bytes, in pieces of any size") { area in
            for pieces in [[0], [5], [1, 70_000, 3], [1_048_576, 1], [2_500_000]] {
                let staged = try await area.stage()
                let writer = staged.write(at: 0, digesting: [])
                for piece in pieces { try await writer.append(ByteBuffer(repeating: 0x61, count: piece)) }
                _ = try await writer.finish()
                let total = pieces.reduce(0, +)
                let facts = try await staged.finish(size: Int64(total), needsMD5: false)
                #expect(facts.blob.size == Int64(total))
                #expect(facts.head.readableBytes == min(total, 65_536))
                await staged.discard()
            }
            let staged = try await area.stage(ByteBuffer(string: "abc"))
            let facts = try await staged.finish(size: 3, needsMD5: false).blob
            #expect(facts.md5 == "900150983cd24fb0d6963f7d28e17f72")
            #expect(facts.digest == .contentHash("FqmZPjZHBoFquj4lcXhQwmyc0Nid"))
            await staged.discard()
        },
        ContractRule("a writer tells the digests of what it took itself") { area in
            let staged = try await area.stage(ByteBuffer(string: "before"))
            let writer = staged.write(at: 6, digesting: Set(DigestKind.allCases))
            try await writer.append(ByteBuffer(string: "ab"))
            try await writer.append(ByteBuffer(string: "c"))
            let digests = try await writer.finish().mapValues(\.hexadecimal)
            #expect(digests[.crc32] == "352441c2")
            #expect(digests[.md5] == "900150983cd24fb0d6963f7d28e17f72")
            #expect(digests[.sha1] == "a9993e364706816aba3e25717850c26c9cd0d89d")
            #expect(digests[.sha256] == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "beforeabc"))
            await staged.discard()
        },
        ContractRule("closed bytes are read, written, finished and discarded like others") { area in
            for name in [nil, ObjectIDGenerator().next()] {
                let staged = if let name { try await area.stage(as: name) } else { try await area.stage() }
                for (offset, text) in [(0, "abc"), (3, "def"), (1, "BC")] {
                    let writer = staged.write(at: Int64(offset), digesting: [])
                    try await writer.append(ByteBuffer(string: text))
                    _ = try await writer.finish()
                    try await staged.close()
                }
                #expect(try await staged.extent() == 6)
                #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "aBCdef"))
                #expect(try await staged.finish(size: 6, needsMD5: true).head == ByteBuffer(string: "aBCdef"))
                await staged.discard()
            }
            #expect(try await area.leftovers() == [])
        },
        ContractRule("facts are those of the bytes as they stand in the end, written in any order and again") { area in
            let block = Int(ContentHash.blockSize)
            let whole = ByteBuffer.pattern(2 * block + 1000)
            let expected = hash(of: whole)
            let orders: [[Range<Int>]] = [
                [0..<block, block..<2 * block, 2 * block..<2 * block + 1000],
                [2 * block..<2 * block + 1000, block..<2 * block, 0..<block],
                [0..<1000, 1000..<block + 500, block + 500..<2 * block + 1000],
                [0..<2 * block + 1000, 5..<70_000],
            ]
            for order in orders {
                let staged = try await area.stage()
                for range in order {
                    let writer = staged.write(at: Int64(range.lowerBound), digesting: [])
                    try await writer.append(slice(whole, range))
                    _ = try await writer.finish()
                }
                let facts = try await staged.finish(size: Int64(whole.readableBytes), needsMD5: true).blob
                #expect(facts.digest == .contentHash(expected))
                #expect(facts.md5 == Insecure.MD5.hash(data: Array(whole.readableBytesView)).hexadecimal)
                await staged.discard()
            }
        },
        ContractRule("what is behind the end is cut off, and no digest of it counts") { area in
            let block = Int(ContentHash.blockSize)
            let whole = ByteBuffer.pattern(2 * block)
            let staged = try await area.stage(whole)
            let facts = try await staged.finish(size: Int64(block + 7), needsMD5: false).blob
            #expect(facts.digest == .contentHash(hash(of: slice(whole, 0..<block + 7))))
            #expect(try await staged.extent() == Int64(block + 7))
            await staged.discard()
        },
        ContractRule("a writer goes on after it told what it took") { area in
            let staged = try await area.stage()
            let writer = staged.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "one "))
            _ = try await writer.finish()
            try await writer.append(ByteBuffer(string: "two"))
            _ = try await writer.finish()
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "one two"))
            await staged.discard()
        },
        ContractRule("bytes staged under a name are there when it is opened again") { area in
            let name = ObjectIDGenerator().next()
            let first = try await area.stage(as: name)
            let writer = first.write(at: 2, digesting: [])
            try await writer.append(ByteBuffer(string: "kept"))
            _ = try await writer.finish()
            try await first.synchronize()
            let second = try await area.stage(as: name)
            #expect(try await second.extent() == 6)
            #expect(try await second.read(at: 2, count: 100) == ByteBuffer(string: "kept"))
            #expect(try await area.leftovers() == [.staged(name)])
            await second.discard()
            #expect(try await area.leftovers() == [])
        },
        ContractRule("the ranges with bytes are those that were written, without the gaps between them") { area in
            let staged = try await area.stage(as: ObjectIDGenerator().next())
            #expect(try await staged.ranges(recorded: RangeSet()).isEmpty)
            var written = RangeSet<Int64>()
            for (offset, count) in [(20 << 20, 5), (4 << 20, 2_000_000), (30 << 20, 70_000)] as [(Int64, Int)] {
                let writer = staged.write(at: offset, digesting: [])
                try await writer.append(ByteBuffer(repeating: 1, count: count))
                _ = try await writer.finish()
                written.insert(contentsOf: offset..<offset + Int64(count))
            }
            let found = try await staged.ranges(recorded: written)
            #expect(found.isSuperset(of: written))
            // A disk has whole blocks.
            for gap in [0..<3 << 20, 7 << 20..<19 << 20, 21 << 20..<29 << 20] as [Range<Int64>] {
                #expect(found.isDisjoint(RangeSet(gap)))
            }
            let end = try #require(found.ranges.last?.upperBound)
            #expect(end == (30 << 20) + 70_000)
            await staged.discard()
        },
        ContractRule("bytes that are not there make no file, and what is behind the end is not read") { area in
            let staged = try await area.stage(ByteBuffer(string: "abc"))
            let other = try await area.stage(as: ObjectIDGenerator().next())
            await expectFailure(.storageFailing) { try await staged.finish(size: 4, needsMD5: false) }
            await expectFailure(.storageFailing) { try await other.finish(size: 1, needsMD5: false) }
            #expect(try await staged.read(at: 2, count: 100) == ByteBuffer(string: "c"))
            #expect(try await staged.read(at: 3, count: 100) == ByteBuffer())
            await staged.discard()
            await other.discard()
        },
        ContractRule("bytes can be opened, and read also when they are discarded") { area in
            let staged = try await area.stage(ByteBuffer(string: "bytes"))
            let blob = try await staged.open()
            await staged.discard()
            #expect(blob.size == 5)
            #expect(try await blob.read(at: 1, count: 100) == ByteBuffer(string: "ytes"))
        },
        ContractRule("more bytes than there is space for are refused before they are sent") { area in
            let staged = try await area.stage()
            try await staged.requireFreeSpace(for: 1)
            await expectFailure(.storageFull) { try await staged.requireFreeSpace(for: 1 << 60) }
            await staged.discard()
        },
        ContractRule("bytes of one request are no leftover of the server that took them") { area in
            let staged = try await area.stage(ByteBuffer(string: "draft"))
            #expect(try await area.leftovers() == [])
            await staged.discard()
        },
    ]

    private static let notes: [ContractRule<any StagingArea>] = [
        ContractRule("a noted commit is a leftover, and its bytes are found by the note") { area in
            for isDraft in [false, true] {
                let note = try newNote(isDraft: isDraft)
                let staged = try await area.stage(ByteBuffer(string: "bytes"), as: isDraft ? nil : note.file)
                try await staged.noteCommit(as: note.blob, of: note.file)
                try await staged.synchronize()
                #expect(try await area.leftovers() == [.committing(note)])
                let found = try #require(try await area.reopen(note))
                #expect(try await found.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
                await found.discard()
                #expect(try await area.leftovers() == [])
                #expect(try await area.reopen(note) == nil)
            }
        },
        ContractRule("a cancelled commit, also a reopened one, leaves the bytes staged as before") { area in
            for isFound in [false, true] {
                let note = try newNote(isDraft: false)
                let staged = try await area.stage(ByteBuffer(string: "bytes"), as: note.file)
                try await staged.noteCommit(as: note.blob, of: note.file)
                let canceller = isFound ? try #require(try await area.reopen(note)) : staged
                try await canceller.cancelCommit()
                #expect(try await area.leftovers() == [.staged(note.file)])
                let again = try await area.stage(as: note.file)
                #expect(try await again.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
                await again.discard()
            }
        },
        ContractRule("a cancelled commit of one request's bytes goes with them") { area in
            let note = try newNote(isDraft: true)
            let staged = try await area.stage(ByteBuffer(string: "bytes"))
            try await staged.noteCommit(as: note.blob, of: note.file)
            try await staged.cancelCommit()
            #expect(try await area.leftovers() == [])
            #expect(try await staged.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
            await staged.discard()
        },
        ContractRule("a note of one request's bytes takes nothing of the bytes that the upload has") { area in
            let note = try newNote(isDraft: true)
            let own = try await area.stage(ByteBuffer(string: "own"), as: note.file)
            let draft = try await area.stage(ByteBuffer(string: "other"))
            try await draft.noteCommit(as: note.blob, of: note.file)
            try await draft.synchronize()
            #expect(Set(try await area.leftovers()) == [.staged(note.file), .committing(note)])
            await draft.discard()
            #expect(try await own.read(at: 0, count: 100) == ByteBuffer(string: "own"))
            await own.discard()
        },
        ContractRule("a note that is kept outlives a discard, until the next note") { area in
            let note = try newNote(isDraft: true)
            let staged = try await area.stage(ByteBuffer(string: "bytes"))
            try await staged.noteCommit(as: note.blob, of: note.file)
            try await staged.synchronize()
            staged.keepNote()
            await staged.discard()
            #expect(try await area.leftovers() == [.committing(note)])
            try await staged.noteCommit(as: note.blob, of: note.file)
            await staged.discard()
            #expect(try await area.leftovers() == [])
        },
        ContractRule("a commit is undecided from the kept note on, until it is decided or begins again") { area in
            for isDraft in [false, true] {
                let note = try newNote(isDraft: isDraft)
                let staged = try await area.stage(ByteBuffer(string: "bytes"), as: isDraft ? nil : note.file)
                staged.keepNote()
                try await staged.noteCommit(as: note.blob, of: note.file)
                #expect(try await area.unsettled() == [])
                staged.keepNote()
                await staged.discard()
                #expect(try await area.unsettled() == [note])
                try await staged.noteCommit(as: note.blob, of: note.file)
                #expect(try await area.unsettled() == [])
                try await staged.synchronize()
                staged.keepNote()
                let found = try #require(try await area.reopen(note))
                await found.discard()
                #expect(try await area.unsettled() == [])
                #expect(try await area.leftovers() == [])
            }
        },
        ContractRule("the undecided commits for an id are those of its upload and of single requests") { area in
            let name = ObjectIDGenerator().next()
            let notes = try [false, true].map { isDraft in
                CommitNote(file: name, blob: BlobName(try FileKey.random()), isDraft: isDraft)
            }
            for note in notes {
                let staged = try await area.stage(ByteBuffer(string: "bytes"), as: note.isDraft ? nil : name)
                try await staged.noteCommit(as: note.blob, of: name)
                try await staged.synchronize()
                staged.keepNote()
            }
            #expect(Set(area.undecidedCommits(of: name)) == Set(notes))
            #expect(area.undecidedCommits(of: ObjectIDGenerator().next()) == [])
            for note in notes {
                let found = try #require(try await area.reopen(note))
                await found.discard()
            }
            #expect(area.undecidedCommits(of: name) == [])
        },
        ContractRule("an upload whose commit is undecided has its bytes, which no discard removes") { area in
            let note = try newNote(isDraft: false)
            let staged = try await area.stage(ByteBuffer(string: "bytes"), as: note.file)
            try await staged.noteCommit(as: note.blob, of: note.file)
            staged.keepNote()
            let again = try await area.stage(as: note.file)
            #expect(try await again.read(at: 0, count: 100) == ByteBuffer(string: "bytes"))
            await again.discard()
            #expect(try await area.leftovers() == [.committing(note)])
            try await again.cancelCommit()
            #expect(try await area.unsettled() == [])
            #expect(try await area.leftovers() == [.staged(note.file)])
            await again.discard()
        },
        ContractRule("in a cancelled task commits are cancelled and bytes discarded all the same") { area in
            let note = try newNote(isDraft: false)
            let staged = try await area.stage(ByteBuffer(string: "bytes"), as: note.file)
            try await staged.noteCommit(as: note.blob, of: note.file)
            await cancelled { try? await staged.cancelCommit() }
            #expect(try await area.leftovers() == [.staged(note.file)])
            await cancelled { await staged.discard() }
            #expect(try await area.leftovers() == [])
        },
    ]

    private static func newNote(isDraft: Bool) throws -> CommitNote {
        CommitNote(file: ObjectIDGenerator().next(), blob: BlobName(try FileKey.random()), isDraft: isDraft)
    }

    private static func cancelled(_ body: @escaping @Sendable () async -> Void) async {
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            await body()
        }
        task.cancel()
        await task.value
    }

    private static func hash(of bytes: ByteBuffer) -> String {
        let digests = stride(from: 0, to: bytes.readableBytes, by: Int(ContentHash.blockSize)).map { start in
            let end = min(start + Int(ContentHash.blockSize), bytes.readableBytes)
            return Array(Insecure.SHA1.hash(data: Array(slice(bytes, start..<end).readableBytesView)))
        }
        return ContentHash.joining(digests)
    }

    private static func slice(_ bytes: ByteBuffer, _ range: Range<Int>) -> ByteBuffer {
        bytes.getSlice(at: range.lowerBound, length: range.count) ?? ByteBuffer()
    }
}

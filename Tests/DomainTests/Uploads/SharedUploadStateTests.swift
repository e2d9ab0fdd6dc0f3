import NIOCore
import Support
import Testing

@testable import Domain

@Suite struct SharedUploadStateTests {
    private let limits = UploadLimits(fileSize: 100 << 20)

    @Test("the state of a shared upload is what it was when it comes from its row")
    func row() async throws {
        let fixture = try SharedUploadFixture()
        let server = fixture.server(1)
        let (begun, _) = try await fixture.begin(on: server)
        var upload = begun
        var sharing = SharedUploadState(order: 7)
        (sharing.barrier, sharing.unit, sharing.blocksEnd, sharing.displacedEnd) = (3, 4, 5, 6)
        sharing.lease = SharedUploadState.Lease(id: "abc", renewals: 2)
        sharing.abandoned = 1
        upload.sharing = sharing
        #expect(StoredUpload(stored: upload.object)?.sharing == sharing)
        upload.sharing = nil
        #expect(upload.object.fields["_shared"] == nil)
        #expect(StoredUpload(stored: upload.object)?.sharing == nil)
    }

    @Test("bytes that were recorded while they arrived count once")
    func arrived() async throws {
        let fixture = try SharedUploadFixture()
        let server = fixture.server(1)
        let (upload, token) = try await fixture.begin(on: server)
        _ = try await server.part(1, "aaaa", token)
        let active = ActiveUpload(try #require(try await server.records.find(id: upload.id)))
        #expect(active.progress.received == 4)
        for (bytes, received) in [(3, 4), (1, 4), (2, 6)] as [(Int64, Int64)] {
            active.count(bytes, for: 1)
            #expect(active.progress.received == received)
        }
        active.count(1, for: 2)
        #expect(active.progress.received == 7)
        active.settle(1)
        active.settle(2)
        #expect(active.progress.received == 4)
    }

    @Test("parts get the places that their numbers give, and others one behind all places")
    func places() async throws {
        let fixture = try SharedUploadFixture()
        let (upload, _) = try await fixture.begin(on: fixture.server(1), size: 30)
        let bounds = SlotBounds(upload, within: limits)
        var state = SharedUploadState()
        func place(_ number: Int, _ size: Int64, predicted: Bool = true) throws -> Int64 {
            try state.slot(number, size: size, predicted: predicted, in: bounds).offset
        }
        #expect(try place(2, 10) == 10)
        #expect(try place(1, 10) == 0)
        #expect(try place(3, 8) == 20)
        // Larger than the first part, sent again, and so far behind that no file has it.
        #expect(try place(4, 11) == 4 << 20)
        #expect(try place(1, 10, predicted: false) == 8 << 20)
        #expect(try place(1_000_000, 10) == 12 << 20)
        await expectRefusal(.payloadTooLarge) { try place(5, 64 << 20) }
        // A block beside numbered parts.
        #expect(try state.blockSlot(size: 4, unit: 4 << 20, in: bounds).slot.offset == 16 << 20)
    }

    @Test("a part has a place below the file's end if no part of the upload is elsewhere")
    func isPlace() {
        var state = SharedUploadState()
        #expect(!state.isPlace(of: 1, size: 1, below: 30))
        state.unit = 10
        for (number, size, isPlace) in [
            (1, 10, true), (3, 10, true), (3, 11, false), (4, 1, false), (4, 0, true), (2, 5, true),
            (1 << 60, 1, false),
        ] as [(Int, Int64, Bool)] {
            #expect(state.isPlace(of: number, size: size, below: 30) == isPlace, "\(number) \(size)")
        }
        (state.blocksEnd, state.displacedEnd) = (0, nil)
        #expect(!state.isPlace(of: 1, size: 1, below: 30))
        (state.blocksEnd, state.displacedEnd) = (nil, 40)
        #expect(!state.isPlace(of: 1, size: 1, below: 30))
    }

    @Test("the name of a put is the file's id, and has a number after a lease was taken over")
    func putNames() throws {
        let file = try #require(ObjectID("65f0c0ffee"))
        #expect(PutName(file: file, number: 0).id == file)
        let lease = FinishLease(id: "a", upload: file, abandoned: 2)
        #expect(lease.abandonedPuts.map(\.description) == ["\(file)", "\(file)p1"])
        #expect(lease.put.description == "\(file)p2")
        #expect(FinishLease(id: "a", upload: file, abandoned: 100).abandonedPuts.count == 16)
        let second = PutName(file: file, number: 12)
        #expect(second.id.description == "65f0c0ffeep12")
        #expect(PutName(numbered: second.id) == second)
        for text in ["65f0c0ffee", "abcp", "abcp0", "p1", "abcpx"] {
            #expect(PutName(numbered: try #require(ObjectID(text))) == nil, "\(text)")
        }
    }

    @Test("new parts of an upload that began on a server that was alone go behind the others")
    func moved() async throws {
        let fixture = try SharedUploadFixture()
        let server = fixture.server(1)
        let (upload, token) = try await fixture.begin(on: server)
        // As before the move to a shared store.
        try await server.records.change(upload.id, within: nil) { $0.sharing = nil }
        let staged = try await fixture.staging.area(of: 1).stage(as: upload.id)
        let writer = staged.write(at: 0, digesting: [.md5])
        try await writer.append(ByteBuffer(string: "aaaa"))
        let digests = try await writer.finish()
        let tag = (digests[.md5] ?? []).base64URL
        _ = try await server.records.save(
            PartLayout.Part(offset: 0, size: 4, tag: tag),
            1,
            id: nil,
            unit: 4,
            of: upload.id,
            received: 4,
            within: limits
        )
        let second = try await server.part(2, "bb", token).tag
        _ = try await server.finish([(1, tag), (2, second)], token)
        #expect(try await fixture.text(of: upload.key) == "aaaabb")
        fixture.expectNothingStaged()
    }
}

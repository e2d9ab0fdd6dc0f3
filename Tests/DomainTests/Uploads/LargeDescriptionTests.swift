import NIOCore
import Support
import Testing

@testable import Domain

/// The memory of descriptions that are in memory only while requests use them.
@Suite struct LargeDescriptionTests {
    private let fixture: UploadFixture
    private let service: UploadService
    private let guest: StoredUpload.Creator
    private let metaData: [String: JSONValue] = ["text": .string(String(repeating: "a", count: 9000))]

    init() throws {
        fixture = try UploadFixture()
        service = fixture.service()
        guest = StoredUpload.Creator(fixture.people.guest)
    }

    private func guest(at address: String) -> StoredUpload.Creator {
        StoredUpload.Creator(isMaster: false, user: nil, session: nil, address: address)
    }

    private func user(_ name: String = "ann") async throws -> Caller {
        try await fixture.people.caller(try await fixture.people.signUp(name).token)
    }

    private func announcement(_ kind: StoredUpload.Kind = .file) throws -> UploadAnnouncement {
        let description = UploadDescription(name: try FileName("a.txt", limit: 255), metaData: metaData)
        return UploadAnnouncement(description, kind: kind, size: nil)
    }

    /// Runs a body while other guests use all of their memory.
    private func full<Result>(_ body: () async throws -> Result) async throws -> Result {
        try await service.largeDescriptions.counting(LargeDescriptions.limit, of: guest(at: "192.0.2.1"), body)
    }

    @Test("guests, users and the master key have a limit each, the guests at one address and one user half of it")
    func shares() async throws {
        let descriptions = LargeDescriptions(limit: 100)
        let master = StoredUpload.Creator(fixture.people.master)
        let guests = (1...3).map { guest(at: "192.0.2.\($0)") }
        var users: [StoredUpload.Creator] = []
        for name in ["ann", "bob", "cat"] { users.append(StoredUpload.Creator(try await user(name))) }
        for (group, others) in [(guests, users), (users, guests)] {
            try await descriptions.counting(50, of: group[0]) {
                await expectFailure(.overloaded) { try await descriptions.counting(1, of: group[0]) {} }
                try await descriptions.counting(nil, of: group[0]) {}
                try await descriptions.counting(50, of: group[1]) {
                    await expectFailure(.overloaded) { try await descriptions.counting(1, of: group[2]) {} }
                    for other in [others[0], master] {
                        try await descriptions.counting(100, of: other) {
                            await expectFailure(.overloaded) { try await descriptions.counting(1, of: other) {} }
                        }
                    }
                }
                try await descriptions.counting(50, of: group[2]) {}
            }
            // A single one can be larger than the limit.
            try await descriptions.counting(101, of: group[0]) {}
        }
    }

    @Test("the requests of an upload that share its description count once, until the last one has ended")
    func shared() async throws {
        let descriptions = LargeDescriptions(limit: 100)
        let master = StoredUpload.Creator(fixture.people.master)
        let upload = try await fixture.begin(on: service).upload.id
        try await descriptions.counting(60, of: master, sharedBy: upload) {
            try await descriptions.counting(60, of: master, sharedBy: upload) {}
            await expectFailure(.overloaded) { try await descriptions.counting(41, of: master) {} }
            try await descriptions.counting(40, of: master) {}
        }
        try await descriptions.counting(100, of: master) {}
    }

    @Test("a large description counts with its estimated memory, a small one not")
    func estimate() throws {
        let name = try FileName("a.txt", limit: 255)
        let text = UploadDescription(name: name, metaData: metaData)
        let objects = JSONValue.array(Array(repeating: .object(["a": .integer(1)]), count: 2000))
        let nested = UploadDescription(name: name, metaData: ["list": objects])
        #expect(UploadDescription(name: name).largeMemory(with: nil) == nil)
        #expect(9000..<10_000 ~= text.largeMemory(with: nil) ?? 0)
        #expect(500_000..<800_000 ~= nested.largeMemory(with: nil) ?? 0)
        let header = String(repeating: "a", count: 20_000)
        #expect(20_000..<21_000 ~= UploadDescription(name: name).largeMemory(with: header) ?? 0)
    }

    @Test("requests for large descriptions of a full group are refused, those of others and of small ones are not")
    func refused() async throws {
        let large = try await fixture.token(on: service, metaData: metaData)
        let users = try await fixture.token(on: service, metaData: metaData, as: try await user())
        let imported = try await fixture.token(on: service, metaData: metaData, as: fixture.people.master)
        let small = try await fixture.token(on: service)
        try await full {
            await expectFailure(.overloaded) { try await service.using(large) { _ in } }
            for token in [users, imported, small] { try await service.using(token) { _ in } }
        }
        try await service.using(large) { _ in }
    }

    @Test("a refusal says whose share is full")
    func refusals() async throws {
        let descriptions = LargeDescriptions(limit: 100)
        let ann = StoredUpload.Creator(try await user())
        for (creator, whose) in [(guest(at: "192.0.2.1"), "guests at one address"), (ann, "one user")] {
            try await descriptions.counting(50, of: creator) {
                let error = await #expect(throws: ServiceError.self) {
                    try await descriptions.counting(1, of: creator) {}
                }
                #expect(error?.message.contains("uploads of \(whose) that") == true)
            }
        }
    }

    @Test("an upload is cancelled and deleted without its description")
    func ended() async throws {
        let cancelled = try await fixture.token(on: service, metaData: metaData)
        let deleted = try await fixture.token(on: service, size: 3, metaData: metaData)
        _ = try await service.append("abc", at: 0, deleted)
        let objects = fixture.people.objects
        try await full {
            try await service.using(cancelled, describing: .unused) { try await $0.cancel() }
            try await service.using(deleted, describing: .unused) { upload in
                try await upload.terminate(as: fixture.people.master, deletingFilesOf: objects)
            }
        }
        #expect(fixture.store.count(of: .upload) == 0)
        #expect(fixture.store.count(of: .file) == 0)
    }

    @Test("a progress stream needs no description, so it is neither refused nor does it count")
    func progress() async throws {
        let token = try await fixture.token(on: service, metaData: metaData)
        try await full {
            let slot = try await service.beginProgressStream(token)
            #expect(try await service.progress(token).state == "waiting")
            try await service.streamProgress(token, in: slot) { [service] event in
                guard case .progress = event else { return }
                let metaData = try await service.using(token, describing: .unused) { $0.stored.description.metaData }
                #expect(metaData == [:])
                slot.leave()
            }
        }
    }

    @Test("an upload that is refused when it is created leaves no row")
    func created() async throws {
        let piece = try await fixture.token(on: service, size: 3, kind: .partial)
        _ = try await service.append("abc", at: 0, piece)
        try await full {
            await expectFailure(.overloaded) {
                try await service.announcing(announcement(), as: fixture.people.guest) { _, _ in }
            }
            await expectFailure(.overloaded) {
                try await service.concatenate(announcement(.final("final;a")), of: [piece], as: fixture.people.guest)
            }
            #expect(fixture.store.count(of: .upload) == 1)
        }
        let announced = try announcement(.final("final;a"))
        let (final, _) = try await service.concatenate(announced, of: [piece], as: fixture.people.guest)
        #expect(final.isFinished)
        #expect(final.description.metaData == metaData)
        #expect(try await fixture.text(of: final.key) == "abc")
    }

    @Test("a created upload counts once, for its announcement and its use")
    func once() async throws {
        let half = LargeDescriptions.limit / 2 - 12_000
        let caller = fixture.people.guest
        try await service.largeDescriptions.counting(half, of: guest) {
            try await service.announcing(announcement(), as: caller) { handle, _ in
                #expect(handle.stored.description.metaData == metaData)
            }
        }
    }

    @Test("a final upload that is refused when its last piece is finished is created by the next sweep")
    func waiting() async throws {
        let piece = try await fixture.token(on: service, size: 3, kind: .partial)
        let announced = try announcement(.final("final;a"))
        let (final, token) = try await service.concatenate(announced, of: [piece], as: fixture.people.guest)
        #expect(final.isWaiting)
        try await full {
            let offset = try await service.append("abc", at: 0, piece)
            #expect(offset == 3)
            #expect(fixture.store.count(of: .file) == 0)
        }
        _ = try await service.sweep()
        #expect(try await fixture.text(of: final.key) == "abc")
        try await service.using(token) { #expect($0.stored.description.metaData == metaData) }
    }

    @Test("the row of a piece keeps its large description when it is finished")
    func piece() async throws {
        let token = try await fixture.token(on: service, size: 3, metaData: metaData, kind: .partial)
        _ = try await service.append("ab", at: 0, token)
        try await service.using(token, describing: .unused) { upload in
            _ = try await upload.append(at: 2, announced: 1, digesting: []) { sink in
                try await sink.append(ByteBuffer(string: "c"))
                return nil
            }
        }
        let later = fixture.service()
        try await later.using(token) { upload in
            #expect(upload.stored.isFinished)
            #expect(upload.stored.description.metaData == metaData)
        }
    }
}

import Support
import Testing

@testable import Domain

/// Files of unknown keys, which the mirror fetches from the old file domain.
@Suite struct MirrorServiceTests {
    private let fixture: MirrorFixture

    init() throws {
        fixture = try MirrorFixture()
    }

    private var refusedStatus: (Int) -> ServiceError {
        { ServiceError(.badRequest, "It answered.", cause: RefusedStatus(status: $0)) }
    }

    @Test("the file is stored under its key with what the origin says of it")
    func stored() async throws {
        let file = try await fixture.mirror().file(fixture.key)
        #expect(file.size == 9 && file.mediaType.description == "text/x-old")
        #expect(fixture.origin.requests == ["https://old.example.com/files/old/photo.txt"])
        #expect(try await fixture.uploads.text(of: fixture.key) == "old bytes")
        let record = try #require(try await fixture.record())
        #expect(record.fields["name"] == "photo.txt" && record.mirrorState == .created && record.acl == nil)
        #expect(try await fixture.uploads.usage() == Usage(bytes: 9, files: 1))
        #expect(fixture.uploads.staging.count == 0 && fixture.outcomes.all == [.stored])
    }

    @Test("a key is percent-encoded and has no query string")
    func encodedKey() async throws {
        let key = try #require(FileKey("照片/a b?c=#.jpg"))
        _ = try await fixture.mirror().file(key)
        #expect(
            fixture.origin.requests == ["https://old.example.com/files/%E7%85%A7%E7%89%87/a%20b%3Fc%3D%23.jpg"]
        )
    }

    @Test("requests for one key share one fetch")
    func shared() async throws {
        let (begun, gate) = (Gate(), Gate())
        fixture.origin.during {
            begun.open()
            await gate.wait()
        }
        let mirror = fixture.mirror()
        async let first = mirror.file(fixture.key)
        await begun.wait()
        async let second = mirror.file(fixture.key)
        gate.open()
        #expect(try await first == second)
        #expect(fixture.origin.requests.count == 1)
    }

    @Test("a file that another server stores at the same moment is the result, and no failure is remembered")
    func storedElsewhere() async throws {
        let other = try Samples.record(key: fixture.key)
        let store = fixture.uploads.store
        store.beforeNextCommit { try await FileRecords(store).insert([other]) }
        #expect(try await fixture.mirror().file(fixture.key).id == other.id)
        #expect(fixture.outcomes.all.isEmpty)
        #expect(fixture.uploads.staging.count == 0)
    }

    @Test("a key that the origin lacks is asked for again after a while only", arguments: [404, 410])
    func notFound(status: Int) async throws {
        fixture.origin.fail(refusedStatus(status))
        let mirror = fixture.mirror(MirrorSettings(notFoundTime: 60))
        for seconds in [0, 0, 59] {
            fixture.uploads.clock.pass(seconds: seconds)
            await expectRefusal(.fileNotFound) { try await mirror.file(fixture.key) }
        }
        #expect(fixture.origin.requests.count == 1)
        fixture.uploads.clock.pass(seconds: 1)
        fixture.origin.serve("now")
        #expect(try await mirror.file(fixture.key).size == 3)
        #expect(fixture.outcomes.all == [.notFound, .stored])
    }

    @Test(
        "a failure of the origin is 502 with a reason, remembered for ten seconds, and leaves nothing",
        arguments: [
            (ServiceError(.badRequest, "", cause: RefusedStatus(status: 500)), "status 500"),
            (ServiceError(.badRequest, "Unreachable."), "cannot be reached"),
            (ServiceError(.timedOut, ""), "mirror.timeout"),
            (ServiceError(.payloadTooLarge, ""), "mirror.maxSize"),
        ]
    )
    func failure(error: ServiceError, reason: String) async throws {
        fixture.origin.fail(error)
        let mirror = fixture.mirror()
        for _ in 0..<2 {
            let refusal = await #expect(throws: ServiceError.self) { try await mirror.file(fixture.key) }
            #expect(refusal?.code == .originFailed && refusal?.retryAfter == 10)
            #expect(refusal?.message.contains(reason) == true)
        }
        #expect(fixture.origin.requests.count == 1)
        #expect(try await mirror.status(as: fixture.master).failed == 1)
        try await fixture.expectNothing()
        fixture.uploads.clock.pass(seconds: 10)
        fixture.origin.serve("now")
        _ = try await mirror.file(fixture.key)
    }

    @Test(
        "errors of this server are passed on, and the next request tries again",
        arguments: [ServiceError.Code.overloaded, .storageFull, .storageReadOnly, .unavailable]
    )
    func ownError(code: ServiceError.Code) async throws {
        let mirror = fixture.mirror()
        fixture.origin.fail(ServiceError(code, "Not now."))
        await expectRefusal(code) { try await mirror.file(fixture.key) }
        fixture.origin.serve("now")
        _ = try await mirror.file(fixture.key)
    }

    @Test("a mirror that remembers no keys asks each time")
    func nothingRemembered() async throws {
        fixture.origin.fail(refusedStatus(404))
        let mirror = fixture.mirror(MirrorSettings(rememberedKeys: 0))
        for _ in 0..<2 { await expectRefusal(.fileNotFound) { try await mirror.file(fixture.key) } }
        #expect(fixture.origin.requests.count == 2)
    }

    @Test("a file above the limit is refused, also if the origin announced no size")
    func tooLarge() async throws {
        await expectRefusal(.originFailed) {
            try await fixture.mirror(MirrorSettings(size: 8)).file(fixture.key)
        }
        try await fixture.expectNothing()
    }

    @Test("sizes that an import gave, of any number, are refused before the fetch and counted without overflow")
    func hugeSizes() async throws {
        let fixture = try MirrorFixture(UploadLimits(quota: 100))
        let huge = #""metaData":{"size":9223372036854775807}"#
        try await fixture.importRecord(huge)
        try await fixture.importRecord(huge, key: "old/other.txt")
        await expectRefusal(.originFailed) { try await fixture.mirror().file(fixture.key) }
        #expect(fixture.origin.requests.isEmpty)
        let status = try await fixture.mirror().status(as: fixture.master)
        #expect(status.missing == 2 && status.missingBytes == .max)
        try await fixture.importRecord(#""metaData":{"size":2}"#, key: "old/small.txt")
        #expect(try await fixture.mirror().status(as: fixture.master).missingBytes == .max)
    }

    @Test("usages are added without overflow")
    func usages() {
        let all = Usage.file(.max) + .file(1) + .upload(.max)
        #expect(all == Usage(bytes: .max, files: 2, announced: .max, uploads: 1))
        #expect(throws: ServiceError.self) { try all.requireWithin(.max - 1) }
    }

    @Test(
        "bytes are compared with an ETag that is Qiniu's hash, and with no other one",
        arguments: [
            ("\"FhK98mCgQgNgtGoxYAK4sV1ubZ9A\"", true), ("\"FhK98mCgQgNgtGoxYAK4sV1ubZ9B\"", false),
            ("FhK98mCgQgNgtGoxYAK4sV1ubZ9B", false), ("\"lhK98mCgQgNgtGoxYAK4sV1ubZ9A\"", false),
            ("\"nhK98mCgQgNgtGoxYAK4sV1ubZ9A\"", true), ("W/\"FhK98mCgQgNgtGoxYAK4sV1ubZ9B\"", true),
            ("\"5d41402abc4b2a76b9719d911017c592\"", true), ("", true),
        ]
    )
    func entityTag(tag: String, isAccepted: Bool) async throws {
        var hasher = ContentHasher()
        Array("old bytes".utf8).withUnsafeBytes { hasher.update($0) }
        let hash = hasher.finalize()
        let tag = tag.replacing("FhK98mCgQgNgtGoxYAK4sV1ubZ9A", with: hash)
        fixture.origin.serve("old bytes", FetchedHead(mediaType: nil, tag: tag))
        if isAccepted {
            #expect(try await fixture.mirror().file(fixture.key).digest.description == hash)
        } else {
            await expectRefusal(.originFailed) { try await fixture.mirror().file(fixture.key) }
            try await fixture.expectNothing()
        }
    }

    @Test("an encoded response is not the file")
    func encoded() async throws {
        fixture.origin.serve("old bytes", FetchedHead(mediaType: nil, isEncoded: true))
        await expectRefusal(.originFailed) { try await fixture.mirror().file(fixture.key) }
        try await fixture.expectNothing()
    }

    @Test("the quota applies, and nothing is left")
    func quota() async throws {
        let fixture = try MirrorFixture(UploadLimits(quota: 8))
        await expectRefusal(.quotaExceeded) { try await fixture.mirror().file(fixture.key) }
        try await fixture.expectNothing()
    }

    @Test("a file that was deleted here is not fetched again, also by a mirror that fetches it just now")
    func deleted() async throws {
        let mirror = fixture.mirror()
        _ = try await mirror.file(fixture.key)
        try await fixture.delete(try #require(try await fixture.record()?.id))
        await expectRefusal(.fileNotFound) { try await mirror.file(fixture.key) }
        #expect(fixture.origin.requests.count == 1)
    }

    @Test("types that clients must not upload are fetched, because the files existed before")
    func allowedTypes() async throws {
        let types = try #require(TypePolicy("image/*"))
        let fixture = try MirrorFixture(UploadLimits(types: types))
        _ = try await fixture.mirror().file(fixture.key)
    }

    @Test("the status is for the master key only")
    func statusAccess() async throws {
        await expectRefusal(.masterKeyRequired) { try await fixture.mirror().status(as: fixture.uploads.people.guest) }
    }
}

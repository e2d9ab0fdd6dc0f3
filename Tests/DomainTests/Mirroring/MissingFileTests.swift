import Logging
import NIOCore
import Support
import Testing

@testable import Domain

/// Records that an import creates before their bytes, and imports of files that the mirror has stored.
@Suite struct MissingFileTests {
    private let fixture: MirrorFixture

    init() throws {
        fixture = try MirrorFixture()
    }

    private func announce(_ id: String, key: String? = nil, as caller: Caller? = nil) async throws -> UploadToken {
        var description = UploadDescription(name: try FileName("imported.txt", limit: 255))
        description.systemFields = ["objectId": .string(id)]
        let announcement = UploadAnnouncement(description, key: key ?? fixture.key.description, size: nil)
        return try await fixture.service.announce(announcement, as: caller ?? fixture.master).token
    }

    @Test("the record is no file until its bytes are here, and takes no space")
    func missing() async throws {
        let id = try await fixture.importRecord(#""objectId":"f1","metaData":{"size":9,"owner":"u1"}"#)
        #expect(try await fixture.service.files.file(key: fixture.key) == nil)
        #expect(try await fixture.service.files.file(id: id) == nil)
        #expect(try await fixture.service.files.missing(key: fixture.key)?.size == 9)
        #expect(try await fixture.uploads.usage() == Usage())
    }

    @Test("the first download fills it, and its own fields stay, also those that change during the fetch")
    func filled() async throws {
        try await fixture.importRecord(
            #""objectId":"f1","mime_type":"text/a","createdAt":"2020-01-01T00:00:00Z","metaData":{"size":9,"owner":"u1"}"#
        )
        fixture.origin.during { [fixture] in
            let change = try ObjectChange(fixture.uploads.people.json(#"{"name":"renamed.txt"}"#), allowsPaths: true)
            let id = try #require(ObjectID("f1"))
            let command = ObjectCommand(.file, .update(id, change, where: nil, returnsObject: false))
            _ = try await fixture.objects.perform(command, as: fixture.master)
        }
        #expect(try await fixture.mirror().file(fixture.key).mediaType.description == "text/a")
        let record = try #require(try await fixture.record())
        #expect(record.mirrorState == .filled && record.id.description == "f1")
        #expect(record.fields["name"] == "renamed.txt" && record.createdAt.iso8601 == "2020-01-01T00:00:00.000Z")
        #expect(record.fields["metaData"]?.objectValue?["owner"] == "u1")
        #expect(try await fixture.uploads.usage() == Usage(bytes: 9, files: 1))
    }

    @Test(
        "bytes that the record does not describe are not stored, and the record stays",
        arguments: [#"{"size":8}"#, #"{"size":9,"_checksum":"00000000000000000000000000000000"}"#]
    )
    func otherBytes(metaData: String) async throws {
        try await fixture.importRecord(#""metaData":\#(metaData)"#)
        await expectRefusal(.originFailed) { try await fixture.mirror().file(fixture.key) }
        try await fixture.expectNothing()
        #expect(try await fixture.record()?.mirrorState == .missing)
    }

    @Test("a checksum of another form than MD5 describes nothing")
    func otherChecksum() async throws {
        try await fixture.importRecord(#""metaData":{"_checksum":"sha1:x"}"#)
        _ = try await fixture.mirror().file(fixture.key)
    }

    @Test("a record that is deleted during the fetch stays deleted")
    func deletedMeanwhile() async throws {
        let id = try await fixture.importRecord(#""objectId":"f1""#)
        fixture.origin.during { [fixture] in try await fixture.delete(id) }
        await expectRefusal(.fileNotFound) { try await fixture.mirror().file(fixture.key) }
        try await fixture.expectNothing()
        #expect(try await fixture.record() == nil)
    }

    @Test("an import that fills it during the fetch wins")
    func importedMeanwhile() async throws {
        try await fixture.importRecord(#""objectId":"f1""#)
        let token = try await announce("f1")
        fixture.origin.during { [fixture] in _ = try await fixture.service.put("imported", token) }
        #expect(try await fixture.mirror().file(fixture.key).size == 8)
        #expect(try await fixture.uploads.text(of: fixture.key) == "imported")
        #expect(fixture.uploads.staging.count == 0)
    }

    @Test("a record that an import creates during the fetch is filled")
    func createdMeanwhile() async throws {
        fixture.origin.during { [fixture] in try await fixture.importRecord(#""objectId":"f1""#) }
        _ = try await fixture.mirror().file(fixture.key)
        #expect(try await fixture.record()?.id.description == "f1")
    }

    @Test("an upload with its id and key fills it, with the description of the upload")
    func uploaded() async throws {
        try await fixture.importRecord(#""objectId":"f1","metaData":{"a":1}"#)
        _ = try await fixture.service.put("bytes", try await announce("f1"))
        let record = try #require(try await fixture.record())
        #expect(record.mirrorState == nil && record.fields["name"] == "imported.txt")
        #expect(try await fixture.uploads.usage() == Usage(bytes: 5, files: 1))
    }

    @Test("an upload with another id or key, or of another caller, does not")
    func otherUpload() async throws {
        try await fixture.importRecord(#""objectId":"f1""#)
        await expectRefusal(.duplicateValue) { try await announce("f2") }
        await expectRefusal(.duplicateValue) { try await announce("f1", key: "other") }
    }

    @Test("a server that ends between blob and record leaves the record missing and no blob")
    func interrupted() async throws {
        let id = try await fixture.importRecord(#""objectId":"f1""#)
        let staged = try await fixture.uploads.staging.stage()
        try await fixture.uploads.commit("old bytes", from: staged, as: fixture.key, of: id)
        try await fixture.uploads.service().recover(Logger(label: "test"))
        #expect(try await fixture.uploads.text(of: fixture.key) == nil)
        #expect(try await fixture.record()?.mirrorState == .missing)
    }

    @Test("an imported record takes the place of the mirror's own, with its bytes")
    func recordOverMirrored() async throws {
        _ = try await fixture.mirror().file(fixture.key)
        try await fixture.importRecord(#""objectId":"f1","metaData":{"size":9}"#)
        let record = try #require(try await fixture.record())
        #expect(record.id.description == "f1" && record.mirrorState == .filled && record.fields["name"] == "cat.txt")
        #expect(try await fixture.service.files.file(key: fixture.key)?.facts.size == 9)
        #expect(try await fixture.uploads.usage() == Usage(bytes: 9, files: 1))
        await expectRefusal(.duplicateValue) { try await fixture.importRecord(#""objectId":"f2""#) }
    }

    @Test("an upload takes the place of the mirror's own record, if its bytes are the same")
    func uploadOverMirrored() async throws {
        _ = try await fixture.mirror().file(fixture.key)
        await expectRefusal(.duplicateValue) {
            try await fixture.service.put("others", try await announce("f1"))
        }
        #expect(try await fixture.record()?.mirrorState == .created)
        _ = try await fixture.service.put("old bytes", try await announce("f1"))
        let record = try #require(try await fixture.record())
        #expect(record.id.description == "f1" && record.mirrorState == nil)
        #expect(try await fixture.uploads.text(of: fixture.key) == "old bytes")
        #expect(try await fixture.uploads.usage() == Usage(bytes: 9, files: 1))
        #expect(fixture.uploads.staging.count == 0)
    }

    @Test("a part after a take-over of the mirror's file that failed comes to no upload that a kill would finish")
    func undecidedOverMirrored() async throws {
        _ = try await fixture.mirror().file(fixture.key)
        let store = RecoveringStore(fixture.uploads.store)
        let service = fixture.uploads.service(through: store)
        var description = UploadDescription(name: try FileName("imported.txt", limit: 255))
        description.systemFields = ["objectId": .string("f1")]
        let announcement = UploadAnnouncement(description, key: fixture.key.description, size: nil)
        let (_, token) = try await service.announce(announcement, as: fixture.master)
        let claims = try await service.send([(1, "old bytes")], token)
        store.failWrites(1)
        await expectRefusal(.storageFailing) { try await service.finish(claims, token) }
        _ = try await service.using(token) { upload in
            try await upload.receivePart(1, size: 9, expecting: [:]) { [fixture] sink in
                await store.recover()
                #expect(try await fixture.record()?.mirrorState == .created)
                try await sink.append(ByteBuffer(string: "old bytes"))
            }
        }
        _ = try await service.finish(claims, token)
        #expect(try await fixture.record()?.id.description == "f1")
    }

    @Test("an imported record of other bytes is refused, and the mirror's stays")
    func otherRecordOverMirrored() async throws {
        _ = try await fixture.mirror().file(fixture.key)
        await expectRefusal(.checksumMismatch) { try await fixture.importRecord(#""metaData":{"size":8}"#) }
        #expect(try await fixture.record()?.mirrorState == .created)
    }

    @Test("without a mirror such a record is refused, and from clients its key is ignored")
    func refused() async throws {
        let body = try fixture.uploads.people.json(#"{"key":"k","name":"a"}"#)
        let command = ObjectCommand(.file, .create(try ObjectChange(file: body), returnsObject: false))
        await expectRefusal(.badRequest) {
            try await fixture.uploads.people.objects.perform(command, as: fixture.master)
        }
        try await fixture.importRecord(#""mime_type":"text/plain""#, as: fixture.uploads.people.guest)
        #expect(try await fixture.record() == nil)
    }

    @Test("the key of a deleted file whose bytes are still here is refused for the moment")
    func pendingDeletion() async throws {
        _ = try await fixture.mirror().file(fixture.key)
        try await fixture.delete(try #require(try await fixture.record()?.id))
        await expectRefusal(.overloaded) { try await fixture.importRecord(#""objectId":"f1""#) }
    }

    @Test("the status counts missing files, their bytes, and what the mirror fetched")
    func status() async throws {
        for (number, metaData) in [#"{"size":5}"#, #"{"size":7}"#, "{}", #"{"size":-1}"#].enumerated() {
            let body = #"{"key":"k\#(number)","name":"a","metaData":\#(metaData)}"#
            let change = try ObjectChange(file: fixture.uploads.people.json(body))
            _ = try await fixture.objects.perform(
                ObjectCommand(.file, .create(change, returnsObject: false)),
                as: fixture.master
            )
        }
        let mirror = fixture.mirror()
        try await fixture.importRecord(#""objectId":"f1""#)
        for key in [fixture.key, try #require(FileKey("unknown"))] { _ = try await mirror.file(key) }
        var expected = MirrorStatus()
        (expected.missing, expected.missingBytes, expected.mirrored, expected.created) = (4, 12, 2, 1)
        #expect(try await mirror.status(as: fixture.master) == expected)
    }
}

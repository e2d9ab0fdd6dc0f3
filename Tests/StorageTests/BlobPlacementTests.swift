import Domain
import Foundation
import Testing

@testable import Storage

@Suite("Whether a folder, a database and a bucket belong together")
struct BlobPlacementTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let placement: BlobPlacement
        let decision: BlobPlacement.Decision

        init(_ description: String, _ decision: BlobPlacement.Decision, _ change: (inout BlobPlacement) -> Void) {
            testDescription = description
            self.decision = decision
            var placement = BlobPlacement()
            change(&placement)
            self.placement = placement
        }
    }

    private static let cases: [Case] = [
        // SQLite.
        Case("a new app with SQLite", .create(id: nil)) { _ in },
        Case("the same app later", .use) { ($0.marker, $0.owners) = ("a", ["a"]) },
        Case("after a move of the objects, which added an id", .use) { ($0.marker, $0.owners) = ("a", ["b", "a"]) },
        Case("blobs in the folder", .refuse(.folderHasBlobs)) { $0.hasFolderBlobs = true },
        Case("blobs in the folder, and a bucket in use", .refuse(.folderHasBlobs)) {
            ($0.hasFolderBlobs, $0.owners) = (true, ["a"])
        },
        Case("an empty bucket instead of that of the marker", .refuse(.bucketIsOther)) { $0.marker = "a" },
        Case("a bucket without ids instead of that of the marker", .refuse(.bucketIsOther)) {
            ($0.marker, $0.hasObjects) = ("a", true)
        },
        Case("the bucket of another storage", .refuse(.bucketOfOtherStorage)) {
            ($0.marker, $0.owners) = ("a", ["b"])
        },
        Case("a new folder on the bucket of another storage", .refuse(.bucketOfOtherStorage)) { $0.owners = ["a"] },
        Case("a new folder on objects of an unknown owner", .refuse(.bucketWithoutOwner)) { $0.hasObjects = true },
        Case("a start that ended before the bucket had the id", .create(id: "a")) { $0.prepared = "a" },
        Case("a start that ended before the marker had its name", .join(id: "a")) {
            ($0.prepared, $0.owners) = ("a", ["a"])
        },
        Case("a start that ended, and then another storage began", .refuse(.bucketOfOtherStorage)) {
            ($0.prepared, $0.owners) = ("a", ["b"])
        },
        // PostgreSQL.
        Case("a new app with PostgreSQL", .create(id: "s")) { $0.schema = "s" },
        Case("a start that was prepared with another schema", .create(id: "s")) {
            ($0.schema, $0.prepared) = ("s", "a")
        },
        Case("another server of the database", .join(id: "s")) { ($0.schema, $0.owners) = ("s", ["s"]) },
        Case("the same server later", .use) { ($0.schema, $0.marker, $0.owners) = ("s", "s", ["s"]) },
        Case("after a move from SQLite", .use) { ($0.schema, $0.marker, $0.owners) = ("s", "a", ["a", "s"]) },
        Case("another database", .refuse(.bucketOfOtherDatabase)) {
            ($0.schema, $0.marker, $0.owners) = ("t", "s", ["s"])
        },
        Case("another database with a new folder", .refuse(.bucketOfOtherDatabase)) {
            ($0.schema, $0.owners) = ("t", ["s"])
        },
        Case("the folder of another storage", .refuse(.bucketOfOtherStorage)) {
            ($0.schema, $0.marker, $0.owners) = ("s", "x", ["s"])
        },
        Case("a folder with blobs that wants to join", .refuse(.folderHasBlobs)) {
            ($0.schema, $0.hasFolderBlobs, $0.owners) = ("s", true, ["s"])
        },
        Case("an empty bucket instead of that of the database", .refuse(.bucketIsOther)) {
            ($0.schema, $0.marker) = ("s", "s")
        },
    ]

    @Test("each combination has one decision", arguments: cases)
    func decides(_ example: Case) {
        #expect(example.placement.decision == example.decision)
    }

    @Test("each refusal names the folder or the bucket")
    func messages() {
        let refusals: [BlobPlacement.Refusal] = [
            .folderHasBlobs, .bucketIsOther, .bucketOfOtherStorage, .bucketOfOtherDatabase, .bucketWithoutOwner,
        ]
        let texts = refusals.map { $0.error(folder: "/storage/app", bucket: "s3://files/app/").description }
        #expect(Set(texts).count == texts.count)
        #expect(texts.allSatisfy { $0.contains("/storage/app") || $0.contains("s3://files/app/") })
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "placement-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("a marker that was prepared has no effect until it is written")
    func marker() throws {
        try withFolder { folder in
            let marker = BlobMarker(id: "0123")
            try marker.prepare(in: folder)
            #expect(try BlobMarker.read(in: folder) == nil)
            #expect(try BlobMarker.readPrepared(in: folder) == marker)
            try BlobMarker.refuseMoved(folder)
            try marker.write(in: folder)
            #expect(try BlobMarker.read(in: folder) == marker)
            #expect(try BlobMarker.readPrepared(in: folder) == nil)
            let error = #expect(throws: ExitError.self) { try BlobMarker.refuseMoved(folder) }
            #expect(error?.description.contains("blobs.store") == true)
            try BlobMarker.remove(in: folder)
            #expect(try BlobMarker.read(in: folder) == nil)
        }
    }

    @Test("a marker of another form is refused", arguments: ["", "id: \n", "id: a", "id: a\nid: b\n", "a\n"])
    func damagedMarker(_ text: String) throws {
        try withFolder { folder in
            try text.write(toFile: "\(folder)/\(BlobMarker.name)", atomically: false, encoding: .utf8)
            #expect(throws: ExitError.self) { try BlobMarker.read(in: folder) }
        }
    }

    @Test(
        "bytes of files are found wherever a server puts them",
        arguments: [
            ("blobs/ab/abcd", true), ("blobs/ab/cd/abcd", true), ("trash/xy/entry", true), ("staging/upload", true),
            ("staging/draft-1", false), ("derivatives/ab/abcd", false), ("lcfile.sqlite", false),
        ]
    )
    func findsBlobs(path: String, isFound: Bool) throws {
        try withFolder { folder in
            for name in ["blobs/ab", "blobs/ab/cd", "staging"] {
                let path = "\(folder)/\(name)"
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            #expect(try !BlobMarker.hasFolderBlobs(folder))
            let file = URL(filePath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(),
                withIntermediateDirectories: true
            )
            try Data("bytes".utf8).write(to: file)
            #expect(try BlobMarker.hasFolderBlobs(folder) == isFound)
        }
    }
}

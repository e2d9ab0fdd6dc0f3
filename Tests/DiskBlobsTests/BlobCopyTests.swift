import Domain
import Foundation
import NIOCore
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct BlobCopyTests {
    /// Stores blobs and gives what their records would say.
    private func store(_ texts: [String], in folder: String) async throws -> [FileEntry] {
        let storage = try BlobStorage(onDisk: folder)
        var entries: [FileEntry] = []
        for (number, text) in texts.enumerated() {
            let key = try #require(FileKey("key/\(number)"))
            let facts = try await storage.store(text, as: key)
            entries.append(FileEntry(id: ObjectIDGenerator().next(), key: key, facts: facts))
        }
        return entries
    }

    private func withFolders(_ body: (_ source: String, _ target: String) async throws -> Void) async throws {
        try await Samples.withFolder { source in
            try await Samples.withFolder { target in try await body(source, target) }
        }
    }

    private func path(of entry: FileEntry, in folder: String) -> String {
        BlobLayout(reading: folder).path(of: BlobName(entry.key))
    }

    private func damage(_ path: String, to text: String) throws {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test("copies have their blobs' bytes and places, for the owner only")
    func copies() async throws {
        try await withFolders { source, target in
            let texts = ["", "abc", String(repeating: "long ", count: 500_000)]
            let entries = try await store(texts, in: source)
            var copy = try BlobCopy(from: BlobSource(folder: source), to: target, comparingDigests: true)
            #expect(try copy.copy(entries) == [.whole, .whole, .whole])
            try copy.synchronize()
            for (entry, text) in zip(entries, texts) {
                let copied = path(of: entry, in: target)
                #expect(try String(contentsOfFile: copied, encoding: .utf8) == text)
                let mode = try FileManager.default.attributesOfItem(atPath: copied)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
        }
    }

    @Test("while the folder of the blobs is away nothing is told to be missing", arguments: [true, false])
    func displacedFolder(comparingDigests: Bool) async throws {
        try await withFolders { source, target in
            let entries = try await store(["bytes"], in: source)
            let blobs = BlobSource(folder: source)
            try FileManager.default.moveItem(atPath: "\(source)/blobs", toPath: "\(source)/aside")
            let repository = BlobRepository(target: MemoryBackupTarget()) { "blobs/\($0.id)" }
            var copy = try BlobCopy(from: blobs, to: target, comparingDigests: comparingDigests)
            let errors = [
                #expect(throws: ServiceError.self) { try blobs.check(entries, comparingDigests: comparingDigests) },
                #expect(throws: ServiceError.self) { try copy.copy(entries) },
                #expect(throws: ServiceError.self) { try repository.upload(entries, from: blobs) },
            ]
            for error in errors { #expect(error?.cause as? StorageDisplacement == .folder("\(source)/blobs")) }
            try FileManager.default.moveItem(atPath: "\(source)/aside", toPath: "\(source)/blobs")
            #expect(try repository.upload(entries, from: blobs) == [.whole])
        }
    }

    @Test("what is missing or damaged is told, and nothing of it is copied")
    func unfit() async throws {
        try await withFolders { source, target in
            let entries = try await store(["whole", "missing", "shorter", "other"], in: source)
            try FileManager.default.removeItem(atPath: path(of: entries[1], in: source))
            try damage(path(of: entries[2], in: source), to: "short")
            try damage(path(of: entries[3], in: source), to: "OTHER")
            let blobs = BlobSource(folder: source)
            var copy = try BlobCopy(from: blobs, to: target, comparingDigests: true)
            for conditions in [try blobs.check(entries, comparingDigests: true), try copy.copy(entries)] {
                #expect(Array(conditions.prefix(2)) == [.whole, .missing])
                #expect(conditions[2] == .damaged("has 5 bytes, not the 7 that were uploaded"))
                guard case .damaged(let description) = conditions[3] else { throw Broken() }
                #expect(description.contains(entries[3].facts.digest.description))
            }
            let copied = entries.map { FileManager.default.fileExists(atPath: path(of: $0, in: target)) }
            #expect(copied == [true, false, false, false])
        }
    }

    @Test("a link, a pipe and a folder in the place of a blob are damage of this blob, and others are read")
    func noRegularFile() async throws {
        try await withFolders { source, target in
            let entries = try await store(["linked", "", "folder", "whole"], in: source)
            let paths = entries.map { path(of: $0, in: source) }
            for path in paths.dropLast() { try FileManager.default.removeItem(atPath: path) }
            try FileManager.default.createSymbolicLink(atPath: paths[0], withDestinationPath: paths[3])
            // The record's size is 0, as that of a pipe.
            try #require(mkfifo(paths[1], 0o600) == 0)
            try FileManager.default.createDirectory(atPath: paths[2], withIntermediateDirectories: false)
            let blobs = BlobSource(folder: source)
            var copy = try BlobCopy(from: blobs, to: target, comparingDigests: true)
            let inspection = DiskBlobInspection(folder: source, pool: .singleton)
            var inspected: [BlobCondition] = []
            for entry in entries { inspected.append(try await inspection.inspect(entry) { _, _ in }) }
            let expected: [BlobCondition] = [
                .damaged("cannot be opened: Too many levels of symbolic links"), .damaged("is no regular file"),
                .damaged("is no regular file"), .whole,
            ]
            #expect(try blobs.check(entries, comparingDigests: false) == expected)
            #expect(try copy.copy(entries) == expected)
            #expect(inspected == expected)
        }
    }

    @Test("an error that says nothing about the file of a blob is no damage", arguments: [EMFILE, EACCES, ENOMEM])
    func noCondition(number: CInt) {
        #expect(throws: ServiceError.self) {
            try condition(after: failure(of: "open", number), at: ["/nonexistent/blob"])
        }
    }

    @Test("a file that the process must not open is damage of its blob", arguments: [EACCES, EPERM, ELOOP])
    func refused(number: CInt) throws {
        let found = try condition(after: failure(of: "open", number), at: ["/nonexistent", "/dev/null"])
        #expect(found == .damaged("cannot be opened: \(String(cString: strerror(number)))"))
    }

    @Test("without digests only the size counts")
    func quick() async throws {
        try await withFolders { source, target in
            let entries = try await store(["other", "shorter"], in: source)
            try damage(path(of: entries[0], in: source), to: "OTHER")
            try damage(path(of: entries[1], in: source), to: "short")
            let blobs = BlobSource(folder: source)
            var copy = try BlobCopy(from: blobs, to: target, comparingDigests: false)
            for conditions in [try blobs.check(entries, comparingDigests: false), try copy.copy(entries)] {
                #expect(conditions[0] == .whole)
                #expect(conditions[1] != .whole)
            }
        }
    }

    @Test("checking makes nothing, not even a folder")
    func readOnly() async throws {
        try await withFolders { source, target in
            let entries = try await store(["abc"], in: source)
            let source = BlobSource(folder: target, acceptsLostFolders: true)
            #expect(try source.check(entries, comparingDigests: true) == [.missing])
            #expect(try FileManager.default.contentsOfDirectory(atPath: target) == [])
        }
    }

    @Test("a copy never goes over a file that is there")
    func neverOver() async throws {
        try await withFolders { source, target in
            let entries = try await store(["abc"], in: source)
            var copy = try BlobCopy(from: BlobSource(folder: source), to: target, comparingDigests: true)
            _ = try copy.copy(entries)
            #expect(throws: ServiceError.self) { try copy.copy(entries) }
        }
    }
}

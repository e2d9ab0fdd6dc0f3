import Domain
import Foundation
import NIOCore
import Support
import Testing

@testable import DiskBlobs

/// Names whose removal failed: here they are folders with a file, which no `unlink` removes.
@Suite struct UnsettledNamesTests {
    private func block(_ path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try Data().write(to: URL(filePath: "\(path)/file"))
    }

    /// Makes the removal of a name possible, as a disk that works again.
    private func unblock(_ path: String) throws {
        try FileManager.default.removeItem(atPath: path)
        try Data("ended".utf8).write(to: URL(filePath: path))
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("a name whose removal failed is removed later, once")
    func retry() async throws {
        try await Samples.withFolder { (folder) throws in
            let (names, path) = (UnsettledNames(), "\(folder)/name")
            try block(path)
            #expect(names.remove(path) == EISDIR)
            names.retry()
            #expect(exists(path))
            try unblock(path)
            names.retry()
            #expect(!exists(path))
            try Data("other".utf8).write(to: URL(filePath: path))
            names.retry()
            #expect(exists(path))
        }
    }

    @Test("an upload with the id of an ended one does not begin with its bytes, and keeps its own")
    func sameName() async throws {
        try await Samples.withFolder { folder in
            let area = try BlobStorage(onDisk: folder).staging
            let name = ObjectIDGenerator().next()
            let path = "\(folder)/staging/\(name)"
            let ended = try await area.stage(ByteBuffer(string: "ended"), as: name)
            try block(path)
            await ended.discard()
            await #expect(throws: (any Error).self) { _ = try await area.stage(as: name) }
            try unblock(path)
            let next = try await area.stage(as: name)
            #expect(try await next.extent() == 0)
            let writer = next.write(at: 0, digesting: [])
            try await writer.append(ByteBuffer(string: "next"))
            _ = try await writer.finish()
            #expect(try await area.unsettled() == [])
            #expect(try await area.stage(as: name).read(at: 0, count: 9) == ByteBuffer(string: "next"))
        }
    }

    @Test("the note of a commit is not removed because that of an ended upload could not be")
    func sameNote() async throws {
        try await Samples.withFolder { folder in
            let area = try BlobStorage(onDisk: folder).staging
            let name = ObjectIDGenerator().next()
            let note = CommitNote(file: name, blob: BlobName(try #require(FileKey("abc"))), isDraft: false)
            let path = "\(folder)/staging/\(name).\(note.blob)"
            let ended = try await area.stage(ByteBuffer(string: "ended"), as: name)
            try await ended.noteCommit(as: note.blob, of: name)
            try block(path)
            await ended.discard()
            let next = try await area.stage(ByteBuffer(string: "next"), as: name)
            await #expect(throws: (any Error).self) { try await next.noteCommit(as: note.blob, of: name) }
            try unblock(path)
            try await next.noteCommit(as: note.blob, of: name)
            #expect(try await area.unsettled() == [])
            #expect(try await area.leftovers() == [.committing(note)])
        }
    }
}

import Domain
import Foundation
import NIOPosix
import Support
import Testing

@testable import DiskBlobs

@Suite struct InterruptedCommitTests {
    @Test("a note beside the old name, as a power cut can leave it, is gone once the commit is reverted")
    func bothNames() async throws {
        try await Samples.withFolder { folder in
            let storage = try BlobStorage(onDisk: folder)
            let id = ObjectIDGenerator().next()
            let note = CommitNote(file: id, blob: BlobName(try #require(FileKey("abc"))), isDraft: false)
            let staged = try await storage.staging.stage(as: id)
            try await staged.synchronize()
            try FileManager.default.linkItem(
                atPath: "\(folder)/staging/\(id)",
                toPath: "\(folder)/staging/\(id).\(note.blob)"
            )
            let restarted = try BlobStorage(onDisk: folder)
            try await restarted.settle(note, isCommitted: false, keepingBytes: true)
            #expect(try await restarted.staging.leftovers() == [.staged(id)])
        }
    }
}

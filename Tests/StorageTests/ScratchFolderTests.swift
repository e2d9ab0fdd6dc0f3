import Foundation
import Support
import Testing

@testable import Storage

/// Folders for temporary files of commands that run at the same time.
@Suite struct ScratchFolderTests {
    @Test("a folder stays while its process lives, although others remove left ones")
    func atOnce() async throws {
        try await Samples.withFolder { parent in
            let lost = Counter()
            DispatchQueue.concurrentPerform(iterations: 200) { _ in
                let scratch = try? ScratchFolder(in: parent)
                if (try? scratch?.folder("database")) == nil { _ = lost.next() }
                scratch?.remove()
            }
            #expect(lost.value == 0)
        }
    }

    @Test("a folder that a killed process left is removed by the next one")
    func left() async throws {
        try await Samples.withFolder { parent in
            let left = "\(parent)/lcfile-scratch-left"
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
            #expect(FileManager.default.createFile(atPath: "\(left)/.scratch", contents: nil))
            let scratch = try ScratchFolder(in: parent)
            defer { scratch.remove() }
            #expect(!FileManager.default.fileExists(atPath: left))
        }
    }
}

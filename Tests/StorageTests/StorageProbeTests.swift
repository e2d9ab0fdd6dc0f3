import Domain
import Foundation
import Support
import Testing

@testable import Storage

@Suite struct StorageProbeTests {
    private func probe(_ folder: String, minFree: Int64 = 0) throws -> StorageProbe {
        try StorageProbe(in: StorageFolder(path: folder), minFree: minFree)
    }

    @Test("a folder that takes a block has no obstacle, and contains no new file afterwards")
    func sound() async throws {
        try await Samples.withFolder { folder in
            let probe = try probe(folder)
            let before = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(probe.check() == [])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == before)
        }
    }

    @Test("free space below the limit is an obstacle, and a sixteenth of the file system is always enough")
    func space() async throws {
        try await Samples.withFolder { folder in
            let space = try #require(FileSystemSpace(of: folder))
            let isLow = space.free < space.total / 16
            #expect(try probe(folder, minFree: .max).check() == (isLow ? [.spaceLow] : []))
        }
    }

    @Test("a folder that is gone is a failing storage")
    func gone() async throws {
        try await Samples.withFolder { folder in
            let probe = try probe(folder)
            try FileManager.default.removeItem(atPath: folder)
            #expect(probe.check() == [.storageFailing])
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }
}

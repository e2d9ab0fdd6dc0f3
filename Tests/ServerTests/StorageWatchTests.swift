import Domain
import Foundation
import NIOPosix
import Support
import Testing

@testable import Server

@Suite struct StorageWatchTests {
    @Test("a folder that uploads need and that was removed is displaced")
    func folders() async throws {
        try await Samples.withFolder { folder in
            let (staging, blobs) = ("\(folder)/staging", "\(folder)/blobs")
            for path in [staging, blobs] {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            }
            let watch = StorageWatch(
                health: StorageHealth(),
                databases: [],
                folders: [staging, blobs],
                pool: .singleton
            )
            #expect(watch.displaced() == [])
            try FileManager.default.removeItem(atPath: blobs)
            #expect(watch.displaced() == [.folder(blobs)])
            try FileManager.default.removeItem(atPath: folder)
            #expect(watch.displaced() == [.folder(staging), .folder(blobs)])
        }
    }
}

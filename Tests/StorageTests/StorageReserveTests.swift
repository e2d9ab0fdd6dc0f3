import Domain
import Foundation
import Support
import Testing

@testable import Storage

@Suite struct StorageReserveTests {
    private static let size: Int64 = 1 << 20

    private func allocated(in folder: String) throws -> Int64 {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/.reserve")
        return Int64(try #require(attributes[.size] as? Int))
    }

    @Test("the space is held while the disk has some, and given up when a request met a full one")
    func releases() async throws {
        try await Samples.withFolder { folder in
            let reserve = try StorageReserve(in: StorageFolder(path: folder), size: StorageReserveTests.size)
            #expect(!reserve.inspect(suspecting: nil).refusesGrowth)
            #expect(try allocated(in: folder) >= StorageReserveTests.size)
            let full = reserve.inspect(suspecting: .full)
            #expect(full.faults == [.full])
            #expect(full.refusesGrowth)
            #expect(full.hasSpare)
            #expect(try allocated(in: folder) == 0)
            // The disk was not full, so the next look takes it again.
            #expect(reserve.inspect(suspecting: nil).faults == [])
            #expect(try allocated(in: folder) >= StorageReserveTests.size)
        }
    }

    @Test("a start finds the space that the server before held, also when the setting is another one now")
    func startsAgain() async throws {
        try await Samples.withFolder { folder in
            _ = try StorageReserve(in: StorageFolder(path: folder), size: 4 * StorageReserveTests.size)
                .inspect(suspecting: nil)
            let smaller = try StorageReserve(in: StorageFolder(path: folder), size: StorageReserveTests.size)
            #expect(try allocated(in: folder) < 2 * StorageReserveTests.size)
            #expect(smaller.inspect(suspecting: nil).faults == [])
            _ = try StorageReserve(in: StorageFolder(path: folder), size: 0)
            #expect(try allocated(in: folder) == 0)
        }
    }

    @Test("without a reserve a full disk refuses nothing beforehand")
    func none() async throws {
        try await Samples.withFolder { folder in
            let reserve = try StorageReserve(in: StorageFolder(path: folder), size: 0)
            let condition = reserve.inspect(suspecting: .full)
            #expect(!condition.refusesGrowth)
            #expect(condition.faults == [])
            #expect(condition.free > 0)
        }
    }

    @Test("another folder at the path is noticed, and data is accepted again when the locked one is back")
    func replaced() async throws {
        try await Samples.withFolder { parent in
            let (folder, aside) = ("\(parent)/storage", "\(parent)/aside")
            let reserve = try StorageReserve(in: StorageFolder(path: folder), size: 0)
            #expect(reserve.inspect(suspecting: nil).displaced == [])
            try FileManager.default.moveItem(atPath: folder, toPath: aside)
            #expect(reserve.inspect(suspecting: nil).displaced == [.storage(folder)])
            // It has no lock, then one of its own.
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            for _ in 0..<2 {
                let condition = reserve.inspect(suspecting: nil)
                #expect(condition.displaced == [.storage(folder)])
                #expect(condition.faults == [.failing])
                _ = try StorageFolder(path: folder)
            }
            try FileManager.default.removeItem(atPath: folder)
            try FileManager.default.moveItem(atPath: aside, toPath: folder)
            let condition = reserve.inspect(suspecting: nil)
            #expect(condition.displaced == [])
            #expect(condition.faults == [])
        }
    }

    @Test("a folder that is gone is a failing storage")
    func gone() async throws {
        try await Samples.withFolder { folder in
            let reserve = try StorageReserve(in: StorageFolder(path: folder), size: 0)
            try FileManager.default.removeItem(atPath: folder)
            #expect(reserve.inspect(suspecting: nil).faults == [.failing])
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
    }
}

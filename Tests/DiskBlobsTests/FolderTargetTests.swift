import Domain
import Foundation
import Support
import Testing

@testable import DiskBlobs

@Suite struct FolderTargetTests {
    @Test("a folder keeps the contract of backup targets", arguments: BackupTargetContract.rules)
    func contract(rule: ContractRule<any BackupTarget>) async throws {
        try await Samples.withFolder { try await rule.check(FolderTarget(folder: "\($0)/target")) }
    }

    @Test("memory keeps the contract of backup targets", arguments: BackupTargetContract.rules)
    func memoryContract(rule: ContractRule<any BackupTarget>) async throws {
        try await rule.check(MemoryBackupTarget())
    }

    @Test("only the owner can read files and folders")
    func modes() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: "\(folder)/target")
            try target.put("a/b", bytes: [1])
            for (path, mode) in [("target", 0o700), ("target/a", 0o700), ("target/a/b", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(path)")
                #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
            }
        }
    }

    @Test("a removal leaves no empty folders")
    func emptyFolders() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: folder)
            try target.put("a/b/c", bytes: [1])
            try target.put("a/d", bytes: [1])
            try target.remove(["a/b/c"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a") == ["d"])
            // Only the one of the locks stays: a full disk can have no room for a new folder.
            try target.put("\(BackupLayout.locks)a", bytes: [])
            try target.remove(["a/d", "\(BackupLayout.locks)a"])
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: folder))
            #expect(left.contains(".locks") && !left.contains("a"))
        }
    }

    @Test("what a killed process left is no object, and goes a day later")
    func partialFiles() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: folder)
            try target.put("a", bytes: [1])
            let left = "\(folder)/+partial/left"
            try Data([1]).write(to: URL(filePath: left))
            #expect(try FolderTarget(folder: folder).list(prefix: "", after: nil, limit: 10).map(\.name) == ["a"])
            #expect(FileManager.default.fileExists(atPath: left))
            let yesterday = Date.now.addingTimeInterval(-25 * 3600)
            try FileManager.default.setAttributes([.modificationDate: yesterday], ofItemAtPath: left)
            _ = try FolderTarget(folder: folder)
            #expect(!FileManager.default.fileExists(atPath: left))
        }
    }

    @Test("links in a target are no objects")
    func links() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: folder)
            try target.put("a", bytes: [1])
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/b", withDestinationPath: "a")
            #expect(try target.list(prefix: "", after: nil, limit: 10).map(\.name) == ["a"])
            #expect(throws: BackupTargetFailure.self) { try target.get("b", limit: 10) }
        }
    }

    @Test("a folder in a folder that does not exist is refused")
    func missingParent() async throws {
        try await Samples.withFolder { folder in
            let failure = #expect(throws: BackupTargetFailure.self) { try FolderTarget(folder: "\(folder)/a/b") }
            #expect(failure?.reason == .missing)
        }
    }
}

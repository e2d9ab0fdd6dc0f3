import Domain
import Foundation
import Glibc
import Support
import Testing

@testable import DiskBlobs

@Suite struct FolderTargetTests {
    @Test("a folder keeps the contract of backup targets", arguments: BackupTargetContract.rules)
    func contract(rule: ContractRule<any BackupTarget>) async throws {
        try await Samples.withFolder { try await rule.check(FolderTarget(folder: "\($0)/target", creating: true)) }
    }

    @Test("memory keeps the contract of backup targets", arguments: BackupTargetContract.rules)
    func memoryContract(rule: ContractRule<any BackupTarget>) async throws {
        try await rule.check(MemoryBackupTarget())
    }

    @Test("only the owner can read files and folders")
    func modes() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: "\(folder)/target", creating: true)
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
            let target = try FolderTarget(folder: folder, creating: true)
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
            let target = try FolderTarget(folder: folder, creating: true)
            try target.put("a", bytes: [1])
            let left = "\(folder)/+partial/left"
            try Data([1]).write(to: URL(filePath: left))
            let next = try FolderTarget(folder: folder, creating: true)
            #expect(try next.list(prefix: "", after: nil, limit: 10).map(\.name) == ["a"])
            #expect(FileManager.default.fileExists(atPath: left))
            let yesterday = Date.now.addingTimeInterval(-25 * 3600)
            try FileManager.default.setAttributes([.modificationDate: yesterday], ofItemAtPath: left)
            _ = try FolderTarget(folder: folder, creating: true)
            #expect(!FileManager.default.fileExists(atPath: left))
        }
    }

    @Test("links in a target are no objects")
    func links() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: folder, creating: true)
            try target.put("a", bytes: [1])
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/b", withDestinationPath: "a")
            #expect(try target.list(prefix: "", after: nil, limit: 10).map(\.name) == ["a"])
            #expect(throws: BackupTargetFailure.self) { try target.get("b", limit: 10) }
        }
    }

    @Test("a file whose status cannot be read fails the list: it could be an object")
    func unreadableStatus() async throws {
        try await Samples.withFolder { folder in
            let target = try FolderTarget(folder: folder, creating: true)
            // The folder is listed by a path of the maximum length, which that of the file exceeds.
            var deep = folder
            while deep.utf8.count < 3900 { deep += "/" + String(repeating: "a", count: 100) }
            try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
            let (descriptor, name) = (open(deep, O_RDONLY | O_DIRECTORY), String(repeating: "b", count: 200))
            try #require(descriptor >= 0)
            let file = openat(descriptor, name, O_WRONLY | O_CREAT, 0o600)
            defer {
                unlinkat(descriptor, name, 0)
                close(descriptor)
            }
            try #require(file >= 0)
            close(file)
            let failure = #expect(throws: BackupTargetFailure.self) {
                try target.list(prefix: "", after: nil, limit: 10)
            }
            #expect(failure?.description.contains("lstat") == true)
        }
    }

    @Test("a folder that does not exist is created only for a backup")
    func missingFolder() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/target"
            let failure = #expect(throws: BackupTargetFailure.self) { try FolderTarget(folder: path, creating: false) }
            #expect(failure?.reason == .missing)
            #expect(!FileManager.default.fileExists(atPath: path))
            try FolderTarget(folder: path, creating: true).put("a", bytes: [1])
            #expect(try FolderTarget(folder: path, creating: false).get("a", limit: 1) == [1])
        }
    }

    @Test("a folder in a folder that does not exist is refused")
    func missingParent() async throws {
        try await Samples.withFolder { folder in
            let failure = #expect(throws: BackupTargetFailure.self) {
                try FolderTarget(folder: "\(folder)/a/b", creating: true)
            }
            #expect(failure?.reason == .missing)
        }
    }
}

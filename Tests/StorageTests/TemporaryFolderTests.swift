import Foundation
import Glibc
import Support
import Testing

@testable import Storage

/// Where temporary files are, and what a start removes of them.
@Suite struct TemporaryFolderTests {
    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    private static func makeFile(_ path: String) {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
    }

    @Test("a command uses TMPDIR, the system's large folder, the storage folder, the system's small folder")
    func choice() async throws {
        try await Samples.withFolder { folder in
            let storage = "\(folder)/storage"
            let system = TemporaryFolder.System(large: "\(folder)/large", small: "\(folder)/small")
            func path(_ environment: [String: String] = [:], besides storage: String?) throws -> String {
                try TemporaryFolder.path(besides: storage, in: environment, system)
            }
            let error = #expect(throws: ExitError.self) { try path(besides: storage) }
            #expect(error?.description.contains("TMPDIR") == true)
            // A file is no folder.
            Self.makeFile(system.large)
            try Self.makeFolder(system.small)
            #expect(try path(besides: nil) == system.small)
            #expect(try path(besides: storage) == system.small, "the storage does not exist")
            try Self.makeFolder(storage)
            #expect(try path(besides: "\(storage)/") == "\(storage)/.temporary")
            #expect(try path(["TMPDIR": ""], besides: storage) == "\(storage)/.temporary")
            try FileManager.default.removeItem(atPath: system.large)
            try Self.makeFolder(system.large)
            #expect(try path(besides: storage) == system.large)
            #expect(try path(["TMPDIR": "/chosen"], besides: storage) == "/chosen")
        }
    }

    @Test("root uses no folder in a storage that others can change, because they can put links there")
    func root() async throws {
        try await Samples.withFolder { storage in
            func make(as user: uid_t) -> String? { TemporaryFolder.make(in: storage, as: user) }
            for mode in [mode_t(0o720), 0o702] {
                #expect(chmod(storage, mode) == 0)
                #expect(make(as: 0) == nil)
            }
            #expect(chmod(storage, 0o700) == 0)
            // Only root can give a folder to another user.
            if geteuid() == 0 {
                #expect(make(as: 0) == "\(storage)/.temporary")
                #expect(rmdir("\(storage)/.temporary") == 0)
                #expect(chown(storage, 1, 1) == 0)
            }
            #expect(make(as: 0) == nil)
            #expect(!FileManager.default.fileExists(atPath: "\(storage)/.temporary"))
            #expect(make(as: 1) == "\(storage)/.temporary")
        }
    }

    @Test("a start removes what killed processes left, and no folder that a command uses")
    func start() async throws {
        try await Samples.withFolder { storage in
            let folder = "\(storage)/.temporary"
            let locked = try StorageFolder(path: storage)
            let made = locked.temporaryFolder()
            #expect(made == folder)
            let used = try ScratchFolder(in: folder)
            defer { used.remove() }
            try Self.makeFolder("\(folder)/lcfile-scratch-left")
            Self.makeFile("\(folder)/lcfile-scratch-left/.scratch")
            Self.makeFile("\(folder)/etilqs_0123456789abcdef")
            let cleared = locked.temporaryFolder()
            #expect(cleared == folder)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.map { "\(folder)/\($0)" } == [used.path])
        }
    }

    @Test("a start removes nothing behind a link, and does without a folder whose name a file has")
    func others() async throws {
        try await Samples.withFolder { folder in
            let (storage, other) = ("\(folder)/storage", "\(folder)/other")
            let locked = try StorageFolder(path: storage)
            try Self.makeFolder(other)
            Self.makeFile("\(other)/file")
            try FileManager.default.createSymbolicLink(
                atPath: "\(storage)/.temporary",
                withDestinationPath: other
            )
            let linked = locked.temporaryFolder()
            #expect(linked == "\(storage)/.temporary")
            #expect(FileManager.default.fileExists(atPath: "\(other)/file"))
            try FileManager.default.removeItem(atPath: "\(storage)/.temporary")
            Self.makeFile("\(storage)/.temporary")
            let none = locked.temporaryFolder()
            #expect(none == nil)
        }
    }
}

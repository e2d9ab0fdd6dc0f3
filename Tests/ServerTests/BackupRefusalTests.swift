import DiskBlobs
import Domain
import Foundation
import Support
import Testing

@testable import Server
@testable import Storage

/// When a backup of a storage folder, or a restore, is refused.
@Suite struct BackupRefusalTests {
    @Test("a folder that exists is never backed up to, not even an empty one")
    func existing() async throws {
        try await BackupFixture.with { fixture in
            try FileManager.default.createDirectory(atPath: fixture.backup, withIntermediateDirectories: false)
            BackupFixture.expectRefusal("exists already", by: fixture.makeBackup)
            #expect(try fixture.names(in: fixture.folder) == ["backup", "storage"])
            #expect(try fixture.names(in: fixture.backup) == [])
        }
    }

    @Test("the doctor's judgement of a target folder is that of the backup: files count, empty folders do not")
    func targetFolder() async throws {
        try await Samples.withFolder { folder in
            let target = "\(folder)/target"
            #expect(!BackupTargets.refuses(folder: target))
            for name in ["lost+found", "@eaDir", ".snapshot"] {
                try FileManager.default.createDirectory(atPath: "\(target)/\(name)", withIntermediateDirectories: true)
            }
            #expect(!BackupTargets.refuses(folder: target))
            try Data("x".utf8).write(to: URL(filePath: "\(target)/a.jpg"))
            #expect(BackupTargets.refuses(folder: target))
            try FileManager.default.removeItem(atPath: "\(target)/a.jpg")
            _ = try BackupRepository(FolderTarget(folder: target, creating: false), creating: true)
            #expect(!BackupTargets.refuses(folder: target))
        }
    }

    @Test("a draft of a running backup or of another program is left alone")
    func foreignDraft() async throws {
        try await BackupFixture.with { fixture in
            let running = try BackupDraft(of: fixture.backup)
            BackupFixture.expectRefusal("another backup", "backup.partial", by: fixture.makeBackup)
            running.discard()
            let mine = "\(fixture.backup).partial/mine"
            try FileManager.default.createDirectory(atPath: mine, withIntermediateDirectories: true)
            BackupFixture.expectRefusal("backup.partial", "not created by lcfile", by: fixture.makeBackup)
            #expect(try fixture.names(in: "\(fixture.backup).partial") == ["mine"])
        }
    }

    @Test("a storage without apps is no storage")
    func noApps() async throws {
        try await Samples.withFolder { folder in
            BackupFixture.expectRefusal("contains no app") {
                try StorageBackup(of: folder, to: "\(folder)/backup", with: FolderEngine()).run()
            }
            BackupFixture.expectRefusal("nowhere") {
                try StorageBackup(of: "\(folder)/nowhere", to: "\(folder)/backup", with: FolderEngine()).run()
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left == [])
        }
    }

    @Test("a storage whose only app has a database of 0 bytes is not backed up, and the app is named")
    func emptyDatabase() async throws {
        try await Samples.withFolder { folder in
            let storage = "\(folder)/storage"
            try FileManager.default.createDirectory(atPath: "\(storage)/app", withIntermediateDirectories: true)
            try Data().write(to: URL(filePath: "\(storage)/app/lcfile.sqlite"))
            BackupFixture.expectRefusal("app/lcfile.sqlite is missing or empty") {
                try StorageBackup(of: storage, to: "\(folder)/backup", with: FolderEngine()).run()
            }
            let repository = try BackupRepository(MemoryBackupTarget(), creating: true)
            BackupFixture.expectRefusal("app/lcfile.sqlite is missing or empty") {
                try RepositoryBackup(of: storage, to: repository, version: "test", with: FolderEngine()).run().contents
            }
        }
    }

    @Test("a backup with a database of 0 bytes is not restored, and the app is named")
    func emptyBackup() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let other = "\(fixture.backup)/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
            try Data().write(to: URL(filePath: "\(other)/lcfile.sqlite"))
            BackupFixture.expectRefusal("other/lcfile.sqlite is missing or empty") { try fixture.restore() }
        }
    }

    @Test("a storage into which a restore was interrupted is not backed up: it lacks apps and files")
    func interruptedRestore() async throws {
        try await BackupFixture.with { fixture in
            let draft = "\(fixture.storage)/restore.partial"
            try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
            BackupFixture.expectRefusal("interrupted restore") { try fixture.makeBackup() }
            let repository = try BackupRepository(MemoryBackupTarget(), creating: true)
            BackupFixture.expectRefusal("interrupted restore") {
                let backup = RepositoryBackup(
                    of: fixture.storage,
                    to: repository,
                    version: "test",
                    with: FolderEngine()
                )
                return try backup.run().contents
            }
            #expect(!FileManager.default.fileExists(atPath: "\(fixture.backup).partial"))
        }
    }

    @Test("a backup without a blob, or with another one, is refused by its key before anything is made")
    func damagedBackup() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let key = fixture.records[1].key.description
            let blob = try fixture.blob(holding: "abc", in: fixture.backup)
            try "ABC".write(toFile: blob, atomically: false, encoding: .utf8)
            BackupFixture.expectRefusal(key, "digest") { try fixture.restore() }
            try FileManager.default.removeItem(atPath: blob)
            BackupFixture.expectRefusal(key, "missing") { try fixture.restore(comparingDigests: false) }
            #expect(!FileManager.default.fileExists(atPath: fixture.restored))
        }
    }

    @Test("a damaged database is refused by its path")
    func damagedDatabase() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let path = "\(fixture.backup)/app/lcfile.sqlite"
            try Data(repeating: 0x61, count: 8192).write(to: URL(filePath: path))
            BackupFixture.expectRefusal(path) { try fixture.restore() }
        }
    }

    @Test("only a whole backup is restored")
    func unfinished() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let marker = "\(fixture.backup)/backup.txt"
            for (text, word) in [("lcfile backup 1, not finished\n", "interrupted"), ("lcfile backup 2\n", "version")] {
                try text.write(toFile: marker, atomically: false, encoding: .utf8)
                BackupFixture.expectRefusal(word) { try fixture.restore() }
            }
            try FileManager.default.removeItem(atPath: marker)
            BackupFixture.expectRefusal("not a backup") { try fixture.restore() }
        }
    }

    @Test("a storage folder with content is never restored into")
    func contents() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            try FileManager.default.createDirectory(atPath: "\(fixture.restored)/x", withIntermediateDirectories: true)
            BackupFixture.expectRefusal(fixture.restored, "not empty") { try fixture.restore() }
            #expect(try fixture.names(in: fixture.restored) == ["x"])
        }
    }

    @Test("a storage folder that a server has locked is never restored into")
    func locked() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let server = try StorageFolder(path: fixture.restored)
            BackupFixture.expectRefusal("in use") { try fixture.restore() }
            try server.synchronize()
        }
    }

    @Test("a restore that was cut off keeps servers away and can be done again")
    func cutOff() async throws {
        try await BackupFixture.with { fixture in
            _ = try fixture.makeBackup()
            let draft = "\(fixture.restored)/restore.partial"
            try FileManager.default.createDirectory(atPath: "\(draft)/app", withIntermediateDirectories: true)
            #expect(throws: ExitError.self) {
                try StorageFolder(path: fixture.restored).refuseUnfinishedRestore()
            }
            #expect(try fixture.restore().files == 3)
            try StorageFolder(path: fixture.restored).refuseUnfinishedRestore()
        }
    }
}

import FileClient
import FoundationEssentials
import Glibc
import Support
import Testing

@testable import Commands

@Suite final class UnfinishedUploadTests {
    private let folder = "/tmp/lcfile-state-\(UUID().uuidString)"
    private var environment: [String: String] { ["XDG_STATE_HOME": folder] }
    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/lcfile/uploads")) ?? []
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func state(
        server: String = "http://s",
        app: String = "a",
        path: String = "/f",
        _ change: (inout stat) -> Void = { _ in },
        name: String = "n"
    ) -> UnfinishedUpload? {
        var status = stat()
        change(&status)
        let identity = UnfinishedUpload.Identity(
            server: server,
            app: app,
            path: path,
            version: FileVersion(status),
            description: UploadDescription(name: name)
        )
        return UnfinishedUpload(identity, in: environment)
    }

    @Test("a later run finds the URL, until the upload is finished")
    func stored() throws {
        let first = try #require(state())
        #expect(first.location == nil)
        first.store("http://s/1.1/uploads/a-longer-token")
        first.store("http://s/1.1/uploads/token")
        #expect(first.location == "http://s/1.1/uploads/token")
        first.remove()
        #expect(files.isEmpty)
    }

    @Test("another file, server, app or description is another upload")
    func identities() throws {
        do { try #require(state()).store("http://s/1.1/uploads/token") }
        #expect(state()?.location == "http://s/1.1/uploads/token")
        #expect(state(server: "http://t")?.location == nil)
        #expect(state(app: "b")?.location == nil)
        #expect(state(path: "/g")?.location == nil)
        #expect(state({ $0.st_size = 2 })?.location == nil)
        #expect(state({ $0.st_mtim.tv_nsec = 3 })?.location == nil)
        // Another file at the path, and another content, with the time of the earlier one.
        #expect(state({ $0.st_ino = 3 })?.location == nil)
        #expect(state({ $0.st_ctim.tv_nsec = 3 })?.location == nil)
        #expect(state(name: "m")?.location == nil)
    }

    @Test("a second process does not send the same upload")
    func locked() throws {
        let first = try #require(state())
        #expect(state() == nil)
        withExtendedLifetime(first) {}
    }

    @Test("states that the server has forgotten are removed, and a folder that cannot be made is no error")
    func stale() throws {
        do { try #require(state()).store("http://s/1.1/uploads/token") }
        UnfinishedUpload.removeStale(in: environment, now: Date().addingTimeInterval(7 * 86400))
        #expect(files.count == 1)
        UnfinishedUpload.removeStale(in: environment, now: Date().addingTimeInterval(9 * 86400))
        #expect(files.isEmpty)
        let identity = UnfinishedUpload.Identity(
            server: "s",
            app: "a",
            path: "/f",
            version: FileVersion(stat()),
            description: UploadDescription(name: "n")
        )
        #expect(UnfinishedUpload(identity, in: ["HOME": "/dev/null"]) == nil)
        #expect(UnfinishedUpload(identity, in: [:]) == nil)
    }
}

@Suite final class UploadItemTests {
    private let folder = "/tmp/lcfile-items-\(UUID().uuidString)"

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test("folders are replaced by their files in order, without links; what is missing stays as a failure")
    func items() throws {
        let manager = FileManager.default
        try manager.createDirectory(atPath: "\(folder)/b", withIntermediateDirectories: true)
        for name in ["c", "a", "b/x"] { try Data("12345".utf8).write(to: URL(filePath: "\(folder)/\(name)")) }
        try manager.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "/etc/passwd")
        let items = UploadItem.items(of: ["-", "\(folder)/", "\(folder)/none", "\(folder)/link", "/dev/null"])
        let names = ["/a", "/b/x", "/c", "/none", "/link"].map { folder + $0 }
        #expect(items.map(\.name) == ["-"] + names + ["/dev/null"])
        #expect(items.prefix(4).map(\.size) == [nil, 5, 5, 5])
        let unusable = items.filter { if case .unusable = $0.source { true } else { false } }
        #expect(unusable.map(\.name) == ["\(folder)/none", "/dev/null"])
    }
}

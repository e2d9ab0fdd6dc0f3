import Foundation
import Support
import Testing

@testable import Storage

@Suite struct StorageFolderTests {
    @Test("one folder serves one server at a time")
    func lock() async throws {
        try await Samples.withFolder { folder in
            let first = try StorageFolder(path: folder)
            let error = #expect(throws: ExitError.self) { _ = try StorageFolder(path: folder) }
            #expect(error?.exitCode == 73)
            #expect(error?.description.contains("in use by another") == true)
            _ = consume first
            _ = try StorageFolder(path: folder)
        }
    }

    @Test(
        "a folder that cannot be is refused with its path",
        arguments: ["/dev/null", "/proc/lcfile", "/nonexistent/a"]
    )
    func unusable(path: String) {
        let error = #expect(throws: ExitError.self) { _ = try StorageFolder(path: path) }
        #expect(error?.description.contains(path) == true)
        #expect(error?.exitCode == 73)
    }

    @Test(
        "an app's folder that lost a used database is refused, a first start that was killed and a whole one are not",
        arguments: [
            (nil, [], false), (Data(), [], false), (Data(), ["db-journal"], false), (Data([1]), ["blobs/ab"], false),
            (nil, ["blobs"], true), (Data(), ["blobs"], true), (nil, ["db-wal"], true), (Data(), ["db-wal"], true),
            (nil, ["blobs/ab"], true), (Data(), ["blobs/ab"], true), (Data(), ["lcfile.bucket"], true),
        ] as [(Data?, [String], Bool)]
    )
    func lostDatabase(database: Data?, paths: [String], isRefused: Bool) async throws {
        try await Samples.withFolder { folder in
            for path in paths {
                try FileManager.default.createDirectory(atPath: "\(folder)/\(path)", withIntermediateDirectories: true)
            }
            try database?.write(to: URL(filePath: "\(folder)/db"))
            guard isRefused else { return try StorageFolder.refuseLostDatabase(in: folder, named: "db") }
            let error = #expect(throws: ExitError.self) {
                try StorageFolder.refuseLostDatabase(in: folder, named: "db")
            }
            #expect(error?.exitCode == 73)
            #expect(error?.description.contains("\(folder)/db is missing or empty") == true)
        }
    }

    @Test("an app's folder with a mark of commits and without a database is refused, with an empty mark it is not")
    func commits() async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lcfile.commits"
            try Data().write(to: URL(filePath: path))
            try StorageFolder.refuseLostDatabase(in: folder, named: "lcfile.sqlite")
            try Data([1]).write(to: URL(filePath: path))
            let error = #expect(throws: ExitError.self) {
                try StorageFolder.refuseLostDatabase(in: folder, named: "lcfile.sqlite")
            }
            #expect(error?.exitCode == 73)
        }
    }
}

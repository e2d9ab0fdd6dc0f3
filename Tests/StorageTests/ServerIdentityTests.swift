import Foundation
import Support
import Testing

@testable import Storage

/// Which servers of a folder are known to have ended.
@Suite struct ServerIdentityTests {
    private func identity(of folder: String) throws -> ServerIdentity { try StorageFolder(path: folder).identity() }

    private func file(in folder: String) -> String { "\(folder)/\(StorageFolder.serversName)" }

    @Test("each server of a folder has another id, and knows those before it")
    func starts() async throws {
        try await Samples.withFolder { folder in
            var ids: [String] = []
            for _ in 0..<3 {
                let identity = try identity(of: folder)
                #expect(identity.ended == Set(ids))
                #expect(!ids.contains(identity.id))
                ids.append(identity.id)
            }
            #expect(try StorageFolder(path: folder).endedServers() == Set(ids))
        }
    }

    @Test("a bounded number is remembered, the last ones")
    func bound() async throws {
        try await Samples.withFolder { folder in
            let ids = try (0..<20).map { _ in try identity(of: folder).id }
            #expect(try StorageFolder(path: folder).endedServers() == Set(ids.suffix(8)))
        }
    }

    @Test("a copy of the folder knows of none: the original can be in use")
    func copies() async throws {
        try await Samples.withFolder { folder in
            let original = "\(folder)/original"
            _ = try identity(of: original)
            try FileManager.default.copyItem(atPath: original, toPath: "\(folder)/copy")
            #expect(try identity(of: "\(folder)/copy").ended == [])
            // A new file to lock: another process can have the old one.
            let moved = "\(original)/\(StorageFolder.lockName)"
            try FileManager.default.moveItem(atPath: moved, toPath: moved + ".old")
            #expect(try identity(of: original).ended == [])
        }
    }

    @Test(
        "what another boot, another file or no server has written is not believed",
        arguments: ["boot", "device", "inode", "short", "long", "sign", "binary", "folder"]
    )
    func foreign(change: String) async throws {
        try await Samples.withFolder { folder in
            _ = try identity(of: folder)
            var fields = try String(contentsOfFile: file(in: folder), encoding: .utf8)
                .split(whereSeparator: \.isWhitespace).map(String.init)
            #expect(fields.count == 4)
            switch change {
            case "boot": fields[1] = "0f3d7a52-0000-0000-0000-000000000000"
            case "device": fields[2] += "1"
            case "inode": fields[3] += "1"
            case "short": fields[0].removeLast()
            case "long": fields[0] += "a"
            case "sign": fields[0] = String(repeating: "-", count: 16)
            default: break
            }
            try FileManager.default.removeItem(atPath: file(in: folder))
            switch change {
            case "binary": try Data((0...255).map { UInt8($0) }).write(to: URL(filePath: file(in: folder)))
            case "folder":
                let path = file(in: folder)
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            default:
                let line = fields.joined(separator: " ") + "\n"
                try line.write(toFile: file(in: folder), atomically: false, encoding: .utf8)
            }
            #expect(try identity(of: folder).ended == [])
        }
    }

    @Test("lines that are cut off do not hide the whole ones before them")
    func cutOff() async throws {
        try await Samples.withFolder { folder in
            let ids = try (0..<2).map { _ in try identity(of: folder).id }
            let text = try String(contentsOfFile: file(in: folder), encoding: .utf8)
            try String(text.dropLast(30)).write(toFile: file(in: folder), atomically: false, encoding: .utf8)
            #expect(try identity(of: folder).ended == [ids[0]])
        }
    }
}

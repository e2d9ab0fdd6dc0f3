import Domain
import Foundation
import Testing

@testable import Storage

@Suite("The file that says that an app's objects are in PostgreSQL")
struct DatabaseMarkerTests {
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "marker-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("What was written is read, until it is removed")
    func roundTrip() throws {
        try withFolder { folder in
            #expect(try DatabaseMarker.read(in: folder) == nil)
            let marker = DatabaseMarker(schema: "lcfile_app", id: "0123")
            try marker.write(in: folder)
            #expect(try DatabaseMarker.read(in: folder) == marker)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [DatabaseMarker.name])
            try DatabaseMarker.remove(in: folder)
            #expect(try DatabaseMarker.read(in: folder) == nil)
        }
    }

    @Test(
        "A file of another form is refused, and not taken for an app without objects in PostgreSQL",
        arguments: [
            "", "schema: a\n", "schema: a\nid: \n", "schema: \nid: b\n", "id: b\nschema: a\n", "schema: a\nid: b",
            "schema: a\nid: b\nmore\n", "schema: a\nid: " + String(repeating: "b", count: 1024) + "\n",
        ]
    )
    func damaged(_ text: String) throws {
        try withFolder { folder in
            try text.write(toFile: "\(folder)/\(DatabaseMarker.name)", atomically: false, encoding: .utf8)
            #expect(throws: ExitError.self) { try DatabaseMarker.read(in: folder) }
        }
    }

    @Test("A file that cannot be read is an error")
    func unreadable() throws {
        try withFolder { folder in
            try FileManager.default.createDirectory(
                atPath: "\(folder)/\(DatabaseMarker.name)",
                withIntermediateDirectories: false
            )
            #expect(throws: ExitError.self) { try DatabaseMarker.read(in: folder) }
        }
    }

    @Test("The schema of an app fits into a name of PostgreSQL, and two apps have two")
    func schemas() throws {
        let ids = ["a", "A", String(repeating: "x", count: 56), String(repeating: "x", count: 57)]
        let long = ["1", "2"].map { String(repeating: "y", count: 63) + $0 }
        let schemas = try (ids + long).map { DatabaseMarker.schema(of: try #require(AppID($0))) }
        #expect(Set(schemas).count == schemas.count)
        #expect(schemas.allSatisfy { $0.utf8.count <= 63 })
        #expect(schemas[0] == "lcfile_a")
    }
}

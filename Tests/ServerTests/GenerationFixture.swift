import Domain
import Foundation
import Support
import Testing

@testable import Server
@testable import Storage

/// A generation of the continuous backup of a fixture's app, to which a segment is added when a test says so.
///
/// A segment has the pages that differ between two copies of the database, as one of a server has those of its log.
final class GenerationFixture {
    let layout: BackupLayout
    let time: GenerationTime
    private let fixture: RepositoryFixture
    private var image: [UInt8]
    private var digest: [UInt8]
    private var number = 0
    /// Whether the names of segments have the digests of their lists, which those of earlier versions have not.
    var bindingLists = true

    /// Stores the base.
    ///
    /// - Parameters:
    ///   - fixture: The app; its repository is created.
    ///   - time: The moment of the base.
    ///   - records: The files of the base.
    ///   - apps: The apps of the storage.
    ///   - generatedApp: The keys of the generated app.
    ///   - spoiled: A text in the base, and another one of its length, as a failing disk leaves it.
    /// - Throws: Errors of the storage and of the repository.
    init(
        of fixture: RepositoryFixture,
        at time: Timestamp,
        _ records: [FileRecord],
        apps: [String] = ["app"],
        generatedApp: String? = nil,
        spoiling spoiled: (old: String, new: String)? = nil
    ) throws {
        self.fixture = fixture
        self.time = GenerationTime(time)
        layout = BackupLayout(fixture.app)
        _ = try BackupRepository(fixture.target, creating: true)
        var image = try GenerationFixture.image(of: fixture)
        if let spoiled { image.replace(Array(spoiled.old.utf8), with: Array(spoiled.new.utf8)) }
        self.image = image
        let base = try GenerationFixture.content(image, in: fixture)
        digest = try #require([UInt8](hexadecimal: base.sha256))
        let list = try GenerationFixture.store(records, of: fixture)
        let keys = generatedApp.map { Array($0.utf8) }
        try fixture.target.put(layout.object(.base, ofGeneration: self.time), bytes: image)
        try fixture.target.put(layout.object(.files, ofGeneration: self.time), bytes: list)
        if let keys { try fixture.target.put(layout.object(.apps, ofGeneration: self.time), bytes: keys) }
        let manifest = BackupManifest(
            version: "test",
            time: time,
            apps: apps,
            database: base,
            files: try GenerationFixture.content(list, in: fixture),
            generatedApp: try keys.map { try GenerationFixture.content($0, in: fixture) },
            fileCount: records.count,
            byteCount: records.reduce(0) { $0 + $1.facts.size },
            damaged: 0
        )
        try fixture.target.put(layout.object(.manifest, ofGeneration: self.time), bytes: manifest.encoded)
    }

    /// Stores the changes since the last segment, after the list of new blobs.
    ///
    /// - Returns: The name of the segment's object.
    @discardableResult
    func ship(at time: Timestamp, _ records: [FileRecord] = []) throws -> String {
        number += 1
        var name = SegmentName(number: number, time: time, list: bindingLists ? SegmentName.noList : nil)
        if !records.isEmpty {
            let list = try GenerationFixture.store(records, of: fixture)
            if bindingLists { name = name.adding(list: try GenerationFixture.content(list, in: fixture).sha256) }
            try fixture.target.put(layout.blobs(of: name, ofGeneration: self.time), bytes: list)
        }
        let next = try GenerationFixture.image(of: fixture)
        let size = Int(image[16]) << 8 | Int(image[17])
        var bytes = SegmentHeader(pageSize: size, number: number, previous: digest).encoded
        for page in 0..<next.count / size {
            let range = page * size..<(page + 1) * size
            if range.upperBound <= image.count, Data(image[range]) == Data(next[range]) { continue }
            bytes += withUnsafeBytes(of: UInt32(page + 1).bigEndian, Array.init) + next[range]
        }
        bytes += SegmentEnd(databasePages: UInt32(next.count / size), time: time).encoded
        digest = try #require([UInt8](hexadecimal: GenerationFixture.content(bytes, in: fixture).sha256))
        image = next
        let object = layout.object(name, ofGeneration: self.time)
        try fixture.target.put(object, bytes: bytes + digest)
        return object
    }

    /// The pages of the database now.
    private static func image(of fixture: RepositoryFixture) throws -> [UInt8] {
        let folder = "\(fixture.folder)/image"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FolderEngine().copyDatabase(of: "\(fixture.storage)/app", to: folder).close()
        return Array(try Data(contentsOf: URL(filePath: "\(folder)/lcfile.sqlite")))
    }

    /// Stores the blobs of files.
    ///
    /// - Returns: The list of them.
    private static func store(_ records: [FileRecord], of fixture: RepositoryFixture) throws -> [UInt8] {
        let files = records.map { FileEntry(id: $0.id, key: $0.key, facts: $0.facts) }
        let layout = BackupLayout(fixture.app)
        let conditions = try FolderEngine()
            .upload(files, in: "\(fixture.storage)/app", to: fixture.target, layout: layout)
        try #require(conditions.allSatisfy { $0 == .whole })
        return Array(files.map { "\(BackupBlob(of: $0))\n" }.sorted().joined().utf8)
    }

    private static func content(_ bytes: [UInt8], in fixture: RepositoryFixture) throws -> BackupManifest.Content {
        let path = "\(fixture.folder)/content"
        try Data(bytes).write(to: URL(filePath: path))
        return try BackupRepository.content(of: path)
    }
}

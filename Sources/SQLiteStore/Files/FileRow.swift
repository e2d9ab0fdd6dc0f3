internal import Domain
internal import GRDB

/// A row of the table `file`.
struct FileRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "file"

    let id: String
    let key: String
    let name: String
    let mediaType: String
    let detectedType: String?
    let size: Int64
    let md5: String
    let sha256: String
    let metaData: String
    let acl: String?
    let createdAt: Int64

    enum CodingKeys: String, CodingKey {
        case id
        case key
        case name
        case mediaType = "media_type"
        case detectedType = "detected_type"
        case size
        case md5
        case sha256
        case metaData = "meta_data"
        case acl
        case createdAt = "created_at"
    }

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let createdAt = Column(CodingKeys.createdAt)
    }

    init(_ record: FileRecord) {
        id = record.id.description
        key = record.key.description
        name = record.name.description
        mediaType = record.mediaType.description
        detectedType = record.detectedType?.description
        size = record.facts.size
        md5 = record.facts.md5
        sha256 = record.facts.sha256
        metaData = String(decoding: JSONValue.object(record.metaData).encoded(), as: UTF8.self)
        acl = record.acl.map { String(decoding: JSONValue.object($0.json).encoded(), as: UTF8.self) }
        createdAt = record.createdAt.milliseconds
    }

    /// The row whose indexed column has this value, by a statement that is compiled once for each connection.
    static func find(_ db: Database, _ column: StaticString, _ value: String) throws -> FileRow? {
        let statement = try db.cachedStatement(sql: "SELECT * FROM file WHERE \(column) = ?")
        return try fetchOne(statement, arguments: [value])
    }

    /// The record in the row; throws if the row holds what no record can, which only another program can have written.
    func record() throws -> FileRecord {
        guard let id = ObjectID(id), let key = FileKey(key), let mediaType = MediaType(mediaType),
            let metaData = try JSONValue(parsing: Array(metaData.utf8), field: "meta_data").objectValue
        else { throw ServiceError(.internalFailure, "Internal error.", cause: BrokenRow(id: id)) }
        return FileRecord(
            id: id,
            key: key,
            name: try FileName(name, limit: .max),
            mediaType: mediaType,
            detectedType: detectedType.flatMap(MediaType.init),
            facts: BlobFacts(size: size, md5: md5, sha256: sha256),
            metaData: metaData,
            acl: try acl.map { try JSONValue(parsing: Array($0.utf8), field: "acl").objectValue ?? [:] }
                .map(AccessControlList.init(stored:)),
            createdAt: Timestamp(milliseconds: createdAt)
        )
    }
}

private struct BrokenRow: Error {
    let id: String
}

internal import Domain
internal import FoundationEssentials
internal import GRDB

/// A row of the table `file`, in the table's own words.
struct FileRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "file"

    let id: String
    let key: String
    let name: String
    let media_type: String
    let detected_type: String?
    let size: Int64
    let md5: String
    let sha256: String
    let meta_data: String
    let acl: String?
    let created_at: Int64

    enum Columns {
        static let id = Column(CodingKeys.id)
        static let key = Column(CodingKeys.key)
        static let created_at = Column(CodingKeys.created_at)
    }

    init(_ record: FileRecord) throws {
        id = record.id.description
        key = record.key.description
        name = record.name.description
        media_type = record.mediaType.description
        detected_type = record.detectedType?.description
        size = record.facts.size
        md5 = record.facts.md5
        sha256 = record.facts.sha256
        meta_data = String(decoding: try JSONValue.object(record.metaData).encoded(), as: UTF8.self)
        acl = try record.acl.map { String(decoding: try JSONValue.object($0.json).encoded(), as: UTF8.self) }
        created_at = record.createdAt.milliseconds
    }

    /// The record in the row; throws if the row holds what no record can, which only another program can have written.
    func record() throws -> FileRecord {
        guard let id = ObjectID(id), let key = FileKey(key), let mediaType = MediaType(media_type),
            let metaData = try JSONValue(parsing: Data(meta_data.utf8), field: "meta_data").objectValue
        else { throw ServiceError(.internalFailure, "Internal error.", cause: BrokenRow(id: id)) }
        return FileRecord(
            id: id,
            key: key,
            name: try FileName(name, limit: .max),
            mediaType: mediaType,
            detectedType: detected_type.flatMap(MediaType.init),
            facts: BlobFacts(size: size, md5: md5, sha256: sha256),
            metaData: metaData,
            acl: try acl.map { try JSONValue(parsing: Data($0.utf8), field: "acl").objectValue ?? [:] }
                .map(AccessControlList.init(stored:)),
            createdAt: Timestamp(milliseconds: created_at)
        )
    }
}

private struct BrokenRow: Error {
    let id: String
}

internal import Domain

extension FileRecord {
    /// The record as clients read it (file-protocol 4); the URL is made now, from where the app's files are served.
    func json(in app: AppServices) -> JSONValue {
        .object([
            "objectId": .string(id.description),
            "key": .string(key.description),
            "name": .string(name.description),
            "url": .string("\(app.publicURL)/\(key.description.percentEncodedPath)"),
            "mime_type": .string(mediaType.description),
            "bucket": .string(app.id.bucket),
            // The storage behind a file is our own affair; this is the one word that every SDK takes.
            "provider": .string("s3"),
            "metaData": .object(metaData),
            "createdAt": .string(createdAt.iso8601),
            "updatedAt": .string(createdAt.iso8601),
        ])
    }
}

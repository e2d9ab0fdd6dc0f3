internal import Glibc

/// Digests of files, here and on the server.
extension FileClient {
    /// The digests of a local file and the number of bytes from which they were computed; reads all of it, on a thread
    /// of the client.
    ///
    /// - Throws: ``FileClientError`` of kind `local` if the file cannot be read.
    public func digest(of path: String) async throws -> (digest: FileDigest, size: Int64) {
        let file = try OpenFile(path)
        return (try await digest(of: file.body), file.size)
    }

    /// Whether a file of the server has the bytes of a local file: the same size, and the same MD5, or Qiniu's hash if
    /// the record has no MD5.
    ///
    /// - Throws: ``FileClientError``; of kind `local` if the local file cannot be read.
    package func hasBytes(_ record: FileRecord, of path: String) async throws -> Bool {
        try await hasBytes(record, of: OpenFile(path))
    }

    func hasBytes(_ record: FileRecord, of file: OpenFile) async throws -> Bool {
        guard record.size == file.size else { return false }
        let digest = try await digest(of: file.body)
        if let checksum = record.checksum { return checksum.lowercased() == digest.md5 }
        return try await contentHash(of: record) == digest.qiniuHash
    }

    /// Requires that a file whose bytes several calls have sent has the bytes of a body.
    ///
    /// A caller who is not allowed to read the record, or the file, cannot compare it.
    func requireBytes(of body: RequestBody, in record: FileRecord) async throws {
        guard let size = record.size else { return }
        let digest = try await digest(of: body)
        var isEqual = size == body.size
        if let checksum = record.checksum {
            isEqual = isEqual && checksum.lowercased() == digest.md5
        } else if let hash = try await knownHash(of: record) {
            isEqual = isEqual && hash == digest.qiniuHash
        }
        guard !isEqual else { return }
        throw FileClientError(
            .damaged,
            "the file has changed since an earlier call began its upload, and the server has bytes of both versions as "
                + "\(record.objectId); delete that file and upload it again"
        )
    }

    /// As ``contentHash(of:)``; `nil` also if the server does not serve the file to this client.
    private func knownHash(of record: FileRecord) async throws -> String? {
        do {
            return try await contentHash(of: record)
        } catch let error as FileClientError where error.kind == .refused {
            return nil
        }
    }

    private func digest(of body: RequestBody) async throws -> FileDigest {
        try await threads.block {
            var digest = FileDigest()
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 1)
            defer { buffer.deallocate() }
            var offset: Int64 = 0
            while offset < body.size {
                let count = try body.read(buffer, offset)
                digest.update(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
                offset += Int64(count)
            }
            return digest
        }
    }

    /// Qiniu's hash of a file's bytes, as the server serves them; `nil` if it names none.
    ///
    /// - Throws: ``FileClientError`` with status 404 if the bytes are missing.
    public func contentHash(of record: FileRecord) async throws -> String? {
        guard let url = contentURL(of: record) else { return nil }
        let response = try await send(Request("HEAD", url))
        return response.headers["etag"].map { String($0.filter { $0 != "\"" }) }
    }
}

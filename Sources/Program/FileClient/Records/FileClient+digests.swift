internal import Glibc

/// Digests of files, here and on the server.
extension FileClient {
    /// The digests of a local file and the number of bytes from which they were computed; reads all of it, on a thread
    /// of the client.
    ///
    /// - Throws: ``FileClientError`` of kind `local` if the file cannot be read.
    public func digest(of path: String) async throws -> (digest: FileDigest, size: Int64) {
        let file = try OpenFile(path)
        return (try await digest(of: file), file.size)
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
        let digest = try await digest(of: file)
        if let checksum = record.checksum { return checksum.lowercased() == digest.md5 }
        return try await contentHash(of: record) == digest.qiniuHash
    }

    private func digest(of file: OpenFile) async throws -> FileDigest {
        let body = file.body
        return try await threads.block {
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

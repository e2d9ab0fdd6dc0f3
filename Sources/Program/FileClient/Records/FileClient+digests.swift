internal import Glibc

/// Digests of files, here and on the server.
extension FileClient {
    /// The digests of a local file and the number of bytes from which they were computed; reads all of it, on a thread
    /// of the client.
    ///
    /// - Throws: ``FileClientError`` of kind `local` if the file cannot be read.
    public func digest(of path: String) async throws -> (digest: FileDigest, size: Int64) {
        let file = try OpenFile(path)
        let body = file.body
        let digest = try await threads.block {
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
        return (digest, file.size)
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

extension S3Client {
    /// The largest object that one request copies, in bytes.
    package static let copyLimit: Int64 = 5 << 30

    /// Copies an object with its metadata inside the bucket; replaces an object that has the new key.
    ///
    /// - Parameters:
    ///   - source: The key of the object, which has at most ``copyLimit`` bytes.
    ///   - key: The key of the copy.
    /// - Throws: ``S3Error``, with ``S3Error/Reason/missing`` if there is no such object.
    package func copy(_ source: String, to key: String) throws(S3Error) {
        var request = S3Request("PUT", key)
        request.headers = [("x-amz-copy-source", "/\(bucket.name)/\(S3Encoding.path(source))")] + encryptionHeaders
        request.body = S3Body([])
        var retries = S3Retries(options)
        while true {
            do throws(S3Error) {
                _ = try sendLong(request)
                return
            } catch {
                try wait(after: error, &retries)
            }
        }
    }
}

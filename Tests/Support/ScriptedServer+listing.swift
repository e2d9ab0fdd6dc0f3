extension ScriptedServer {
    /// A server that answers with the pages of the list of an S3 bucket, one for each request.
    ///
    /// - Parameters:
    ///   - pages: The keys of each page.
    ///   - size: The size of each object in bytes.
    /// - Returns: The server.
    /// - Throws: An error of the socket.
    package static func listing(_ pages: [[String]], size: Int) throws -> ScriptedServer {
        try ScriptedServer { _, number in
            let page = number <= pages.count ? pages[number - 1] : []
            let time = "<LastModified>2026-01-02T03:04:05.000Z</LastModified>"
            let entries = page.map { "<Contents><Key>\($0)</Key><Size>\(size)</Size>\(time)</Contents>" }.joined()
            let token = "<NextContinuationToken>\(number)</NextContinuationToken>"
            let end = number < pages.count ? "<IsTruncated>true</IsTruncated>\(token)" : ""
            return .json("<ListBucketResult>\(end)\(entries)</ListBucketResult>")
        }
    }
}

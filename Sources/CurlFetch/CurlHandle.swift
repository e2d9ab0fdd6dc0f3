internal import CCurl

/// An easy handle of libcurl for one transfer, on one thread.
struct CurlHandle: ~Copyable {
    private let pointer: UnsafeMutableRawPointer

    private static let started: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    init() throws(CurlFailure) {
        guard CurlHandle.started, let pointer = curl_easy_init() else {
            throw CurlFailure(text: "libcurl cannot start")
        }
        self.pointer = pointer
    }

    deinit {
        curl_easy_cleanup(pointer)
    }

    /// Posts JSON and returns the status of the answer, whose body is not looked at; blocks until then.
    ///
    /// - Parameters:
    ///   - body: At least one byte.
    ///   - url: An http or https address; redirects are not followed.
    ///   - seconds: For all of it.
    /// - Returns: The status.
    /// - Throws: ``CurlFailure`` if there is no answer in time.
    func statusOfPost(_ body: [UInt8], to url: String, within seconds: Int) throws(CurlFailure) -> Int {
        let list = curl_slist_append(nil, "Content-Type: application/json")
        defer { curl_slist_free_all(list) }
        try check(ccurl_set_long(pointer, CURLOPT_NOSIGNAL, 1))
        try check(ccurl_set_string(pointer, CURLOPT_PROTOCOLS_STR, "http,https"))
        try check(ccurl_set_long(pointer, CURLOPT_TIMEOUT, seconds))
        try check(ccurl_set_string(pointer, CURLOPT_URL, url))
        try check(ccurl_set_pointer(pointer, CURLOPT_HTTPHEADER, UnsafeMutableRawPointer(list)))
        try check(ccurl_set_long(pointer, CURLOPT_POSTFIELDSIZE, body.count))
        let copied = body.withUnsafeBytes { buffer in
            ccurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
        try check(copied)
        try check(ccurl_set_write_callback(pointer, { _, size, count, _ in size * count }))
        try check(curl_easy_perform(pointer))
        var status = 0
        try check(ccurl_response_code(pointer, &status))
        return status
    }

    private func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(text: String(cString: curl_easy_strerror(code))) }
    }
}

/// Why there is no answer: libcurl's words, for the log.
struct CurlFailure: Error {
    let text: String
}

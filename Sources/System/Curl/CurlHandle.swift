internal import CCurl

/// An easy handle of libcurl for one transfer over http or https, on one thread.
///
/// Make it, use it and let it go within one job of a thread pool: every call blocks as long as it takes, and libcurl's
/// handles are for one thread at a time. Options that are not set have libcurl's defaults.
package struct CurlHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    /// Where libcurl says more of a failure.
    let errorBuffer: UnsafeMutablePointer<CChar>
    var headers: UnsafeMutablePointer<curl_slist>?
    private var form: OpaquePointer?
    /// The receiver of the callbacks; retained as long as the handle, because libcurl can call them while the handle is
    /// freed.
    var context: CallbackContext?

    private static let started: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Starts libcurl if this is the first handle of the process.
    ///
    /// - Throws: ``CurlFailure`` if it cannot start.
    package init() throws(CurlFailure) {
        guard CurlHandle.started, let pointer = curl_easy_init() else {
            throw CurlFailure(text: "libcurl cannot start")
        }
        let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
        errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        self.pointer = pointer
        self.errorBuffer = errorBuffer
        headers = nil
        form = nil
        context = nil
    }

    deinit {
        curl_mime_free(form)
        curl_slist_free_all(headers)
        curl_easy_cleanup(pointer)
        errorBuffer.deallocate()
    }

    /// Sets an option that is a number.
    package func set(_ option: CurlOption<Int>, _ value: Int) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, option.code, value))
    }

    /// Sets an option that is a number of bytes.
    package func set(_ option: CurlOption<Int64>, _ value: Int64) throws(CurlFailure) {
        try check(ccurl_set_offset(pointer, option.code, curl_off_t(value)))
    }

    /// Sets an option that is on or off.
    package func set(_ option: CurlOption<Bool>, _ value: Bool) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, option.code, value ? 1 : 0))
    }

    /// Sets an option that is a text, which libcurl copies.
    package func set(_ option: CurlOption<String>, _ value: String) throws(CurlFailure) {
        try check(ccurl_set_string(pointer, option.code, value))
    }

    /// Speaks HTTP/1.1 and no other version.
    package func useHTTP1() throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
    }

    /// Adds a line such as `X-LC-Id: …` to the request's head.
    package mutating func addHeader(_ line: String) throws(CurlFailure) {
        guard let longer = curl_slist_append(headers, line) else { throw CurlFailure(text: "out of memory") }
        headers = longer
    }

    /// Sends bytes, at least one, as the request's body; libcurl copies them.
    package func setBody(_ bytes: [UInt8]) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_POSTFIELDSIZE, bytes.count))
        let copied = bytes.withUnsafeBytes { buffer in
            ccurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
        try check(copied)
    }

    /// Sends a file as the one part of a form, once for a handle; it is read while it is sent.
    package mutating func setForm(file path: String, as name: String) throws(CurlFailure) {
        form = curl_mime_init(pointer)
        let part = curl_mime_addpart(form)
        try check(curl_mime_name(part, name))
        guard curl_mime_filedata(part, path) == CURLE_OK else {
            throw CurlFailure(text: "\(path) is not a file that can be read")
        }
        try check(ccurl_set_pointer(pointer, CURLOPT_MIMEPOST, UnsafeMutableRawPointer(form)))
    }

    func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code, detail: String(cString: errorBuffer)) }
    }
}

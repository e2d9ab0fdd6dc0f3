internal import CCurl

/// An easy handle of libcurl for one transfer over http, https, smtp or smtps, on one thread.
///
/// Create, use and release it within one job of a thread pool: every call blocks until it is done, and libcurl's
/// handles must not be used by two threads at a time. Options that are not set have libcurl's defaults.
package struct CurlHandle: ~Copyable {
    let pointer: UnsafeMutableRawPointer
    /// The buffer to which libcurl writes the details of an error.
    let errorBuffer: UnsafeMutablePointer<CChar>
    var headers: UnsafeMutablePointer<curl_slist>?
    /// The recipients of a mail.
    private var recipients: UnsafeMutablePointer<curl_slist>?
    /// The schemes that the request is allowed to use.
    var protocols = "http,https"
    /// The receiver of the callbacks; retained as long as the handle, because libcurl can call them while the handle is
    /// freed.
    var context: CallbackContext?

    private static let started: Bool = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// The version of libcurl that is loaded, such as `7.88.1`.
    package static var libraryVersion: String {
        // The first version of the structure has the field.
        curl_version_info(CURLVERSION_FIRST).map { String(cString: $0.pointee.version) } ?? "unknown"
    }

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
        recipients = nil
        context = nil
    }

    /// Removes all options, headers and callbacks; open connections and resolved names stay for the next transfer.
    package mutating func reset() {
        curl_easy_reset(pointer)
        curl_slist_free_all(headers)
        curl_slist_free_all(recipients)
        headers = nil
        recipients = nil
        protocols = "http,https"
        context = nil
    }

    deinit {
        curl_slist_free_all(headers)
        curl_easy_cleanup(pointer)
        curl_slist_free_all(recipients)
        errorBuffer.deallocate()
    }

    /// Sets a numeric option.
    package func set(_ option: CurlOption<Int>, _ value: Int) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, option.code, value))
    }

    /// Sets an option in bytes.
    package func set(_ option: CurlOption<Int64>, _ value: Int64) throws(CurlFailure) {
        try check(ccurl_set_offset(pointer, option.code, curl_off_t(value)))
    }

    /// Sets a boolean option.
    package func set(_ option: CurlOption<Bool>, _ value: Bool) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, option.code, value ? 1 : 0))
    }

    /// Sets a string option; libcurl copies the string.
    package func set(_ option: CurlOption<String>, _ value: String) throws(CurlFailure) {
        try check(ccurl_set_string(pointer, option.code, value))
    }

    /// Limits the transfer to HTTP/1.1.
    package func useHTTP1() throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)))
    }

    /// Accepts every certificate of a server: one of an unknown authority, and one for another name.
    package func acceptAnyCertificate() throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_SSL_VERIFYPEER, 0))
        try check(ccurl_set_long(pointer, CURLOPT_SSL_VERIFYHOST, 0))
    }

    /// Adds a header line such as `X-LC-Id: …` to the request.
    package mutating func addHeader(_ line: String) throws(CurlFailure) {
        guard let longer = curl_slist_append(headers, line) else { throw CurlFailure(text: "out of memory") }
        headers = longer
    }

    /// Makes the transfer a mail with an envelope (RFC 5321 section 2.3.1), whose message ``CurlCallbacks/send`` provides.
    ///
    /// - Parameters:
    ///   - sender: The address of the sender, without angle brackets.
    ///   - recipient: The address of the recipient, without angle brackets.
    ///   - size: The size of the message in bytes.
    ///   - encryption: Whether a connection without TLS from its start becomes encrypted by STARTTLS.
    /// - Throws: ``CurlFailure`` if libcurl refuses an option.
    package mutating func setMail(
        from sender: String,
        to recipient: String,
        size: Int64,
        _ encryption: MailEncryption
    ) throws(CurlFailure) {
        protocols = "smtp,smtps"
        try check(ccurl_set_string(pointer, CURLOPT_MAIL_FROM, "<\(sender)>"))
        guard let list = curl_slist_append(recipients, "<\(recipient)>") else {
            throw CurlFailure(text: "out of memory")
        }
        recipients = list
        try check(ccurl_set_pointer(pointer, CURLOPT_MAIL_RCPT, UnsafeMutableRawPointer(list)))
        let level =
            switch encryption {
            case .off: CURLUSESSL_NONE
            case .optional: CURLUSESSL_TRY
            case .required: CURLUSESSL_ALL
            }
        try check(ccurl_set_long(pointer, CURLOPT_USE_SSL, Int(level.rawValue)))
        try setBodySize(size)
    }

    /// When a connection to a mail server is encrypted by STARTTLS.
    package enum MailEncryption: Sendable {
        case off
        /// If the server offers it.
        case optional
        /// Always; a server that does not offer it gets no mail and no password.
        case required
    }

    /// Sends bytes as the request's body; libcurl copies them.
    package func setBody(_ bytes: [UInt8]) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_POSTFIELDSIZE, bytes.count))
        // An empty array can have no address, which libcurl would take for a body that a callback provides.
        let copied = (bytes.isEmpty ? [0] : bytes).withUnsafeBytes { buffer in
            ccurl_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: buffer.baseAddress))
        }
        try check(copied)
    }

    /// Announces a body of that many bytes, which ``CurlCallbacks/send`` provides; the method is PUT unless it is set.
    package func setBodySize(_ size: Int64) throws(CurlFailure) {
        try check(ccurl_set_long(pointer, CURLOPT_UPLOAD, 1))
        try check(ccurl_set_offset(pointer, CURLOPT_INFILESIZE_LARGE, curl_off_t(size)))
    }

    func check(_ code: CURLcode) throws(CurlFailure) {
        guard code == CURLE_OK else { throw CurlFailure(code, detail: String(cString: errorBuffer)) }
    }
}

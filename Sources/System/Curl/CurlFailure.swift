internal import CCurl

/// The error of a transfer, as libcurl describes it; for the log.
package struct CurlFailure: Error, CustomStringConvertible {
    /// The kinds of errors that callers distinguish.
    package enum Reason: Sendable {
        /// The announced size of the body exceeds the limit.
        case tooLarge
        /// More redirects than the limit.
        case tooManyRedirects
        /// Not a URL, not http or https, or with a user name where user names are refused.
        case unusableAddress
        /// A limit on time or speed was exceeded.
        case timedOut
        /// No connection was made, so that the server has not seen the request.
        case unreachable
        /// The connection ended before the response was complete.
        case brokenOff
        /// The server refused the user's name or password.
        case logInRefused
        /// The connection cannot be encrypted, or the server's certificate is not valid.
        case encryptionFailed
        /// A mail server sent a reply that ends the transfer.
        case unexpectedReply
        /// A callback ended the transfer.
        case stopped
        /// TLS or HTTP failed.
        case other
    }

    /// The kind of failure.
    package let reason: Reason
    /// libcurl's message for its kind.
    package let text: String
    /// libcurl's details of this error; can be empty, and can contain addresses.
    package let detail: String

    /// The message and the details.
    package var description: String {
        detail.isEmpty ? text : "\(text): \(detail)"
    }

    init(text: String) {
        reason = .other
        self.text = text
        detail = ""
    }

    init(_ code: CURLcode, detail: String) {
        reason = Reason(code)
        text = String(cString: curl_easy_strerror(code))
        self.detail = detail
    }
}

extension CurlFailure.Reason {
    fileprivate init(_ code: CURLcode) {
        switch code {
        case CURLE_FILESIZE_EXCEEDED: self = .tooLarge
        case CURLE_TOO_MANY_REDIRECTS: self = .tooManyRedirects
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT: self = .unusableAddress
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: self = .unreachable
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_SEND_ERROR: self = .brokenOff
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            self = .encryptionFailed
        case CURLE_WEIRD_SERVER_REPLY: self = .unexpectedReply
        case CURLE_LOGIN_DENIED: self = .logInRefused
        case CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: self = .stopped
        default: self = .other
        }
    }
}

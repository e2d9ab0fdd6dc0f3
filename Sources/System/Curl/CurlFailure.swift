internal import CCurl

/// Why a transfer failed, as libcurl describes it: for the log.
package struct CurlFailure: Error, CustomStringConvertible {
    /// What a caller may have to tell apart.
    package enum Reason: Sendable {
        /// A body of an announced size beyond the limit.
        case tooLarge
        /// One redirect more than the limit.
        case tooManyRedirects
        /// Not a URL, not http or https, or with a user name where none is allowed.
        case unusableAddress
        /// Any of the limits on time and speed.
        case timedOut
        /// The connection ended before the answer.
        case brokenOff
        /// No address, no connection, no TLS, no HTTP; or a callback's wish.
        case other
    }

    /// The kind of failure.
    package let reason: Reason
    /// libcurl's message for its kind.
    package let text: String
    /// What else libcurl says of this one; may be empty, and may name addresses.
    package let detail: String

    /// Both messages.
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
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_URL_MALFORMAT, CURLE_LOGIN_DENIED: self = .unusableAddress
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut
        case CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_GOT_NOTHING: self = .brokenOff
        default: self = .other
        }
    }
}

internal import Hummingbird
internal import HummingbirdCore

extension Response {
    /// Leaves the body of an answer to `HEAD` out, and tells its length (RFC 9110 sections 8.6, 9.3.2).
    mutating func leaveOutBody() {
        let length = body.contentLength.map(String.init)
        // Setting a body sets its length, too.
        body = ResponseBody()
        headers[.contentLength] = length
    }
}

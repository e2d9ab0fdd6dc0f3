internal import Hummingbird
internal import HummingbirdCore

extension Response {
    /// Removes the body of a response to `HEAD`, but not its length (RFC 9110 sections 8.6, 9.3.2).
    mutating func leaveOutBody() {
        let length = body.contentLength.map(String.init)
        // Setting a body also sets its length.
        body = ResponseBody()
        headers[.contentLength] = length
    }
}

internal import Curl

/// A request and its response.
enum Exchange {
    /// Sends a request and returns its response; blocks until then.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, …
    ///   - url: The complete URL.
    ///   - headers: Lines such as `X-LC-Id: …`.
    ///   - payload: The body of the request.
    /// - Returns: Status and body, for any status.
    /// - Throws: ``FileClientError`` without a status if there is no response.
    static func perform(
        _ method: String,
        _ url: String,
        headers: [String],
        payload: Payload
    ) throws(FileClientError) -> Answer {
        do throws(CurlFailure) {
            var handle = try CurlHandle()
            for header in headers { try handle.addHeader(header) }
            switch payload {
            case .nothing: break
            case .file(let path): try handle.setForm(file: path, as: "file")
            case .json(let bytes):
                try handle.addHeader("Content-Type: application/json")
                try handle.setBody(bytes)
            }
            try restrict(handle)
            try handle.set(.url, url)
            try handle.set(.method, method)
            let answer = Answer()
            try handle.perform(CurlCallbacks(receive: { bytes, _ in answer.append(bytes) }))
            answer.status = try handle.status()
            return answer
        } catch {
            throw FileClientError(status: 0, message: error.text)
        }
    }

    /// Disables redirects, and sets timeouts for an unreachable server.
    private static func restrict(_ handle: borrowing CurlHandle) throws(CurlFailure) {
        // The server must see and refuse a class called `..`.
        try handle.set(.pathAsIs, true)
        try handle.set(.connectTimeout, 10)
        // Less than one byte a second for a minute.
        try handle.set(.lowSpeedLimit, 1)
        try handle.set(.lowSpeedTime, 60)
    }
}

/// The body of a request.
enum Payload: Sendable {
    case nothing
    /// A file, as the part `file` of a form; read from the disk while it is sent.
    case file(String)
    /// JSON, at least one byte.
    case json([UInt8])
}

/// A status and a body; used on the transfer's thread only.
final class Answer {
    /// The maximum size of a stored body in bytes; responses of the API are small.
    static let limit = 64 << 20
    var status = 0
    private(set) var body: [UInt8] = []

    /// Appends the next bytes of the body; returns `false` and appends nothing beyond the limit.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= Answer.limit else { return false }
        body.append(contentsOf: bytes)
        return true
    }
}

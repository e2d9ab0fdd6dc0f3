internal import Curl

/// A request and its answer.
enum Exchange {
    /// Sends a request and returns its answer; blocks until then.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, …
    ///   - url: The whole address.
    ///   - headers: Lines such as `X-LC-Id: …`.
    ///   - payload: What the request carries.
    /// - Returns: Status and body, whatever the status.
    /// - Throws: ``FileClientError`` without a status if there is no answer.
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

    /// No redirects, and an end when the server or the network is gone.
    private static func restrict(_ handle: borrowing CurlHandle) throws(CurlFailure) {
        // A class called `..` is for the server to refuse, not a way up.
        try handle.set(.pathAsIs, true)
        try handle.set(.connectTimeout, 10)
        // Under one byte a second for a minute.
        try handle.set(.lowSpeedLimit, 1)
        try handle.set(.lowSpeedTime, 60)
    }
}

/// What a request carries.
enum Payload: Sendable {
    case nothing
    /// A file, as the part `file` of a form; read from the disk while it is sent.
    case file(String)
    /// JSON, at least one byte.
    case json([UInt8])
}

/// A status and a body; used on the transfer's thread only.
final class Answer {
    /// The maximum bytes of a body that are stored: answers of the API are small.
    static let limit = 64 << 20
    var status = 0
    private(set) var body: [UInt8] = []

    /// Keeps the next bytes of the body, or none of them and `false` if they are beyond the limit.
    func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= Answer.limit else { return false }
        body.append(contentsOf: bytes)
        return true
    }
}

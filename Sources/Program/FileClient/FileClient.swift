internal import Dispatch
internal import FoundationEssentials
internal import Glibc

/// A client of an lcfile server for one app.
///
/// Calls can come from any task; transfers block the client's own thread, one after the other.
public struct FileClient: Sendable {
    private let server: String
    private let headers: [String]
    private let queue = DispatchQueue(label: "lcfile.client")

    /// Creates a client; sends no request.
    ///
    /// - Parameters:
    ///   - server: The server's URL: `http://127.0.0.1:8080`.
    ///   - appID: The app's id.
    ///   - appKey: The app's key, or `<master key>,master`.
    public init(server: String, appID: String, appKey: String) {
        self.init(server: server, headers: ["X-LC-Id: \(appID)", "X-LC-Key: \(appKey)"])
    }

    private init(server: String, headers: [String]) {
        self.server = server
        self.headers = headers
    }

    /// Uploads a file; on return it is on the server's disk.
    ///
    /// - Parameter path: The file; its last path component becomes the name.
    /// - Returns: The file's record.
    /// - Throws: ``FileClientError`` with the server's message if it refused the request.
    public func upload(_ path: String) async throws -> UploadedFile {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw FileClientError(status: 0, message: "\(path) is not a file that can be read")
        }
        let body = try await perform("POST", "/1.1/files", .file(path))
        do {
            return try JSONDecoder().decode(UploadedFile.self, from: Data(body))
        } catch {
            throw FileClientError(status: 201, message: "the server's answer is not a file's record")
        }
    }

    /// Checks the health of a server and its storage; needs no credentials.
    ///
    /// - Parameters:
    ///   - server: The server's URL.
    ///   - onlyLife: Checks only whether the server responds.
    /// - Throws: ``FileClientError`` with the server's message if it reports a fault, with status 0 if it does not
    ///   respond.
    public static func checkHealth(of server: String, onlyLife: Bool = false) async throws {
        let path = onlyLife ? "/health?live" : "/health"
        _ = try await FileClient(server: server, headers: []).perform("GET", path)
    }

    /// Sends a request with the app's credentials and returns the body of the response.
    ///
    /// - Parameters:
    ///   - method: `GET`, `POST`, …
    ///   - path: The path and query string, percent-encoded.
    ///   - payload: The body of the request.
    /// - Returns: The body, if the status is 2xx.
    /// - Throws: ``FileClientError`` with the server's message if it refused the request.
    func perform(_ method: String, _ path: String, _ payload: Payload = .nothing) async throws -> [UInt8] {
        let url = server + path
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { [headers] in
                continuation.resume(
                    with: Result {
                        let answer = try Exchange.perform(method, url, headers: headers, payload: payload)
                        guard (200..<300).contains(answer.status) else { throw FileClientError(answer) }
                        return answer.body
                    }
                )
            }
        }
    }
}

/// The record of an uploaded file.
public struct UploadedFile: Sendable, Decodable {
    /// The record's id.
    public let objectId: String
    /// The file's public URL; image operators follow a `?`.
    public let url: String
    /// The file's name.
    public let name: String
}

/// The error of a failed call.
public struct FileClientError: Error, Sendable, CustomStringConvertible {
    /// The HTTP status; 0 without a response.
    public let status: Int
    /// The message of the server or of libcurl.
    public let message: String

    /// The message, with the status if there is one.
    public var description: String {
        status == 0 ? message : "\(message) (HTTP \(status))"
    }

    init(status: Int, message: String) {
        self.status = status
        self.message = message
    }

    init(_ answer: Answer) {
        struct Refusal: Decodable {
            let error: String
        }
        let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(answer.body))
        self.init(status: answer.status, message: refusal?.error ?? "the server refused")
    }
}

internal import FoundationEssentials

extension FileClient {
    /// Sends a request, again if the retry policy allows it, and returns its 2xx response.
    ///
    /// - Throws: ``FileClientError`` of the last attempt; `CancellationError`.
    func send(_ request: Request) async throws -> Response {
        var failures = 0
        while true {
            do {
                return try await sendOnce(request)
            } catch let error as FileClientError {
                failures += 1
                try await waitToRetry(after: error, failures: failures, isIdempotent: request.isIdempotent)
            }
        }
    }

    /// Waits until the next attempt; throws the error if there is none.
    func waitToRetry(after error: FileClientError, failures: Int, isIdempotent: Bool = true) async throws {
        guard error.kind != .unreachable || contact.hasAnswered,
            let delay = options.retries.delay(after: error, failures: failures, isIdempotent: isIdempotent)
        else { throw error }
        try await Task.sleep(for: delay)
    }

    /// Sends a request once and returns its 2xx response.
    func sendOnce(_ request: Request) async throws -> Response {
        if let rate { try await Task.sleep(for: rate.reserve(1, at: .now)) }
        let control = TransferControl(bandwidth: bandwidth)
        let response = try await threads.run(control) { [options] handle in
            try Exchange(request, control).perform(on: &handle, options)
        }
        contact.note()
        threads.note(response.status)
        guard (200..<300).contains(response.status) else { throw FileClientError(response) }
        return response
    }

    /// A request to the API with the app's credentials.
    func request(_ method: String, _ path: String, headers more: [String] = [], json: [UInt8]? = nil) -> Request {
        var request = Request(method, server + path)
        request.headers = headers + more
        if let json {
            request.headers.append("Content-Type: application/json")
            request.body = RequestBody(json)
        }
        return request
    }

    /// Calls the path with these segments, each percent-encoded, and decodes the response.
    func call<Reply: Decodable>(_ method: String, _ names: [String], _ json: [UInt8]? = nil) async throws -> Reply {
        guard names.allSatisfy({ !$0.isEmpty }) else {
            throw FileClientError(.local, "the name of a class, field or index is empty")
        }
        let path = "/1.1/" + names.map(\.percentEncoded).joined(separator: "/")
        return try decode(await send(request(method, path, json: json)))
    }

    /// Decodes the body of a response.
    func decode<Reply: Decodable>(_ response: Response) throws -> Reply {
        do {
            return try JSONDecoder().decode(Reply.self, from: Data(response.body))
        } catch {
            throw FileClientError(.unexpectedAnswer, "the answer does not come from an lcfile server")
        }
    }
}

extension String {
    /// The string as one path segment: every byte except unreserved characters as `%XX` (RFC 3986 section 2.3).
    var percentEncoded: String {
        utf8.map { byte -> String in
            if unreserved.contains(byte) { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}

private let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

/// One request of a batch.
package struct BatchCall: Sendable {
    /// The method, such as `POST`.
    package let method: String
    /// The path after `/1.1/`, percent-encoded where necessary: `classes/Post`.
    package let path: String
    /// The body as JSON in UTF-8.
    package let body: [UInt8]

    /// Creates a request.
    package init(_ method: String, _ path: String, _ body: [UInt8]) {
        self.method = method
        self.path = path
        self.body = body
    }
}

extension FileClient {
    /// Sends requests in one batch, which the server carries out in order, each by itself.
    ///
    /// The bodies are sent byte for byte. The batch is repeated after temporary errors, so each request must have the
    /// same effect, or be refused, when it is carried out again: creates give their objectId.
    ///
    /// - Parameter calls: At most as many as the server allows.
    /// - Returns: The reply to each request, or the error with which the server refused it.
    /// - Throws: ``FileClientError`` if the whole batch failed.
    package func batch(_ calls: [BatchCall]) async throws -> [Result<JSON, FileClientError>] {
        guard !calls.isEmpty else { return [] }
        var body = Array(#"{"requests":["#.utf8)
        body.reserveCapacity(calls.reduce(32) { $0 + $1.body.count + $1.path.utf8.count + 64 })
        for (index, call) in calls.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += Array("{\"method\":\"\(call.method)\",\"path\":".utf8)
            JSON.write("/1.1/" + call.path, to: &body)
            body += Array(#","body":"#.utf8)
            body += call.body
            body.append(UInt8(ascii: "}"))
        }
        body += Array("]}".utf8)
        var request = request("POST", "/1.1/batch", json: body)
        request.isIdempotent = true
        let response = try await send(request)
        guard let replies = try? JSON(parsing: response.body).elements, replies.count == calls.count else {
            throw FileClientError(.unexpectedAnswer, "the answer does not come from an lcfile server")
        }
        return replies.map { reply in
            guard let refusal = reply["error"] else { return .success(reply["success"] ?? .null) }
            return .failure(FileClientError(refusal: refusal))
        }
    }

    /// Queries objects of a class.
    ///
    /// - Parameters:
    ///   - className: The class.
    ///   - parameters: The parameters of the query, not yet percent-encoded.
    /// - Returns: The objects; empty if the class does not exist.
    /// - Throws: ``FileClientError``.
    package func objects(
        of className: String,
        _ parameters: [(name: String, value: String)]
    ) async throws -> [JSON] {
        try await reply("classes/" + className.percentEncoded, parameters)["results"]?.elements ?? []
    }

    /// The objects of a class with some ids, with their ACLs, by id; objects that do not exist are left out.
    ///
    /// The server leaves out what exceeds the size of a reply, so missing objects are queried again.
    ///
    /// - Throws: ``FileClientError``.
    package func objects(of className: String, withIDs ids: [String]) async throws -> [String: JSON] {
        var found: [String: JSON] = [:]
        var rest = ids
        while !rest.isEmpty {
            let part = Array(rest.prefix(100))
            let condition = JSON.object(["objectId": .object(["$in": .array(part.map(JSON.string))])])
            let objects = try await objects(
                of: className,
                [("where", condition.description), ("limit", "1000"), ("returnACL", "true"), ("order", "objectId")]
            )
            for object in objects { found[object["objectId"]?.string ?? ""] = object }
            rest.removeFirst(part.count)
            // A short reply can be one that was too long.
            if objects.isEmpty || objects.count == part.count { continue }
            let last = objects.last?["objectId"]?.string ?? ""
            rest += part.filter { found[$0] == nil && $0 > last }
        }
        return found
    }

    /// The reply of a `GET`; an empty object if the class does not exist.
    package func reply(_ path: String, _ parameters: [(name: String, value: String)] = []) async throws -> JSON {
        let query = parameters.isEmpty ? "" : FileClient.queryString(parameters)
        do {
            let response = try await send(request("GET", "/1.1/\(path)" + query))
            do throws(JSONFault) {
                return try JSON(parsing: response.body)
            } catch {
                throw FileClientError(.unexpectedAnswer, "the answer of \(server) to GET /1.1/\(path) is \(error)")
            }
        } catch let error as FileClientError where error.status == 404 && error.code == FileClientError.notFound {
            return .object([:])
        }
    }
}

extension FileClientError {
    /// LeanCloud's code for a class or an object that does not exist.
    package static let notFound = 101

    /// The error of one request of a batch, which has no status of its own.
    fileprivate init(refusal: JSON) {
        let code: Int? = if case .integer(let code) = refusal["code"] { Int(exactly: code) } else { nil }
        let status = code.flatMap { FileClientError.statuses[$0] } ?? 400
        self.init(.refused, status: status, code: code, refusal["error"]?.string ?? "the server refused")
    }

    /// The statuses of errors of the server itself by their codes: overload, unavailability, a full disk.
    private static let statuses = [429: 429, 503: 503, 507: 507, 511: 503]
}

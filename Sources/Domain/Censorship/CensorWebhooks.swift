/// What the server needs to call the operator's webhooks: a sender, the shared secret, and the address of an app's files.
package struct WebhookSettings: Sendable {
    /// Sends requests; its threads serve nothing else.
    package var sender: any WebhookSender
    /// Signs requests, and callbacks.
    package var secret: Secret
    /// Seconds for one request.
    package var timeout: Int

    /// Creates the settings.
    package init(sender: any WebhookSender, secret: Secret, timeout: Int) {
        self.sender = sender
        self.secret = secret
        self.timeout = timeout
    }

    /// Posts members as signed JSON.
    func post(_ members: [String: JSONValue], to url: RemoteURL) async throws -> WebhookReply {
        let body = JSONValue.object(members).encoded()
        let signature = WebhookSignature(of: body, secret: secret, at: .now())
        return try await sender.post(body, to: url, headers: signature.headers, within: timeout)
    }
}

/// Asks the operator's webhook, which answers at once or later.
package struct WebhookChecker: Checker {
    private let app: AppID
    private let url: RemoteURL
    private let settings: WebhookSettings
    private let previews: Previews
    private let callback: String

    /// - Parameters:
    ///   - app: The app of the images.
    ///   - url: The webhook.
    ///   - settings: How it is called.
    ///   - previews: Makes the addresses from which it fetches images.
    ///   - callback: The address to which it can answer later.
    package init(app: AppID, url: RemoteURL, settings: WebhookSettings, previews: Previews, callback: String) {
        self.app = app
        self.url = url
        self.settings = settings
        self.previews = previews
        self.callback = callback
    }

    package var name: String { WebhookChecker.name }
    package var canAnswerLater: Bool { true }

    /// The name in decisions, also of callbacks.
    static let name = "webhook"

    package func check(_ image: CheckedImage, under _: CensorSettings) async throws -> CheckResult {
        var question: [String: JSONValue] = [
            "app": .string(app.description), "file": .string(image.id.description), "name": .string(image.name),
            "size": .integer(image.size), "url": .string(previews.url(of: image.id)), "callback": .string(callback),
            "scores": .object(image.scores.mapValues(JSONValue.number)),
        ]
        question["mime_type"] = image.mediaType.map(JSONValue.string)
        let reply = try await settings.post(question, to: url)
        switch reply.status {
        case 200:
            guard reply.isWhole else {
                throw ServiceError(
                    .badRequest,
                    "The answer of the webhook has more than \(WebhookReply.maxSize) bytes."
                )
            }
            return .opinion(try WebhookChecker.opinion(in: reply.body))
        case 202: return .later
        default: throw ServiceError(.badRequest, "The webhook answered with status \(reply.status).")
        }
    }

    /// Reads `{"verdict":"passed","scores":{…},"reason":"…"}`.
    ///
    /// - Throws: ``ServiceError/Code/badRequest`` for anything else.
    static func opinion(in body: [UInt8]) throws -> Opinion {
        let members = try? JSONValue(parsing: body, field: "body").objectValue
        guard let members, let verdict = members["verdict"]?.stringValue.flatMap(Verdict.init), verdict != .pending
        else {
            throw ServiceError(
                .badRequest,
                "The webhook's answer needs a verdict: passed, review or rejected."
            )
        }
        let given = members["scores"]?.objectValue ?? [:]
        let scores = given.compactMapValues(\.numberValue)
        guard given.count <= 32, scores.count == given.count,
            scores.allSatisfy({ (0...1).contains($0.value) && $0.key.utf8.count <= 64 })
        else {
            throw ServiceError(.badRequest, "The webhook's scores must be at most 32 numbers from 0 to 1.")
        }
        // Cut, because it is stored with the file.
        return Opinion(verdict, members["reason"]?.stringValue.map { String($0.prefix(500)) }, scores: scores)
    }
}

/// Tells the operator's CDN that a file is blocked.
package struct PurgeHook: Sendable {
    private let app: AppID
    private let url: RemoteURL
    private let settings: WebhookSettings
    private let files: FilePresentation

    /// - Parameters:
    ///   - app: The app of the files.
    ///   - url: Receives the requests.
    ///   - settings: How it is called.
    ///   - files: Makes the URLs of files.
    package init(app: AppID, url: RemoteURL, settings: WebhookSettings, files: FilePresentation) {
        self.app = app
        self.url = url
        self.settings = settings
        self.files = files
    }

    /// Sends the URLs of a file; throws unless the answer is a success.
    func send(_ record: StoredObject) async throws {
        // A file on another server has only the URL of its content here.
        var urls: [JSONValue] = [.string("\(files.publicURL)/1.1/files/\(record.id)/content")]
        if let key = record.fileKey { urls.insert(.string(files.plainURL(of: key)), at: 0) }
        let reply = try await settings.post(
            ["app": .string(app.description), "file": .string(record.id.description), "urls": .array(urls)],
            to: url
        )
        guard (200..<300).contains(reply.status) else {
            throw ServiceError(.badRequest, "The purge webhook answered with status \(reply.status).")
        }
    }
}

/// Makes short-lived addresses of images for reviewers and the webhook.
package struct Previews: Sendable {
    private let base: String
    private let address: PreviewAddress

    /// - Parameters:
    ///   - base: The public URL of the API, without a slash at its end.
    ///   - address: Signs the paths of an app.
    package init(base: String, address: PreviewAddress) {
        self.base = base
        self.address = address
    }

    /// Seconds for which an address is valid.
    private static let life: Int64 = 3600

    /// The address of a file's image, valid for an hour.
    func url(of file: ObjectID, at now: Timestamp = .now()) -> String {
        base + address.path(of: file, for: Previews.life, from: now)
    }

    /// The address of a small version of it.
    func thumbnailURL(of file: ObjectID, at now: Timestamp = .now()) -> String {
        url(of: file, at: now) + "?imageView2/2/w/300/h/300"
    }

    /// Checks the segments of an address.
    ///
    /// - Throws: ``ServiceError/Code/forbidden``.
    func verified(file: String, expires: String, signature: String) throws -> ObjectID {
        try address.verified(file: file, expires: expires, signature: signature, at: .now())
    }
}

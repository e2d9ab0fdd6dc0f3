/// Captchas of one app (protocol/data 6.4): a client shows a picture, sends what it shows, and gets a proof with which it
/// requests one SMS.
package struct CaptchaService: Sendable {
    private let store: any ObjectStore
    private let secret: CaptchaSecret
    private let painter: any CaptchaPainter
    private let isRequired: Bool
    private let limits: RequestLimits
    private let ids: ObjectIDGenerator
    private let clock: @Sendable () -> Timestamp

    /// Seconds for which a captcha can be answered, and for which its proof can be used.
    private static let lifetime = 240

    /// - Parameters:
    ///   - store: The app's store.
    ///   - secret: Signs captchas.
    ///   - painter: Draws the pictures.
    ///   - isRequired: Whether an SMS needs a proof (`sms.requireCaptcha`).
    ///   - limits: Limits the answers like log-ins, and the pictures like images.
    ///   - ids: Generates ids of rows.
    ///   - clock: Returns the current time.
    package init(
        store: any ObjectStore,
        secret: CaptchaSecret,
        painter: any CaptchaPainter,
        isRequired: Bool,
        limits: RequestLimits = RequestLimits(),
        ids: ObjectIDGenerator = ObjectIDGenerator(),
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.store = store
        self.secret = secret
        self.painter = painter
        self.isRequired = isRequired
        self.limits = limits
        self.ids = ids
        self.clock = clock
    }

    /// Creates a captcha: `requestCaptcha`.
    ///
    /// - Parameters:
    ///   - width: The width of the picture in pixels, 60 to 200; `nil` for 85.
    ///   - height: Its height, 30 to 100; `nil` for 30.
    ///   - count: The number of characters, 4 to 6, with the master key from 3; `nil` for 4.
    ///   - seconds: How long it can be answered, 10 to 240; `nil` for 240.
    ///   - caller: The caller.
    /// - Returns: The token.
    /// - Throws: ``ServiceError/Code/badRequest`` naming the value that is out of range.
    package func token(
        width: Int?,
        height: Int?,
        count: Int?,
        seconds: Int?,
        as caller: Caller
    ) throws -> String {
        func checked(_ name: String, _ value: Int?, _ range: ClosedRange<Int>, _ usual: Int) throws -> Int {
            guard let value else { return usual }
            guard range.contains(value) else {
                throw ServiceError(.badRequest, "\(name) must be from \(range.lowerBound) to \(range.upperBound).")
            }
            return value
        }
        let life = try checked("ttl", seconds, 10...CaptchaService.lifetime, CaptchaService.lifetime)
        return CaptchaToken(
            width: try checked("width", width, 60...200, 85),
            height: try checked("height", height, 30...100, 30),
            count: try checked("size", count, (caller.isMaster ? 3 : 4)...6, 4),
            until: clock().adding(seconds: life)
        )
        .text(secret)
    }

    /// The picture of a captcha as PNG.
    ///
    /// - Parameters:
    ///   - text: The token.
    ///   - address: The client address, for the limit of work on images.
    /// - Returns: The picture; `nil` for a token that the server did not sign, or that has ended.
    /// - Throws: ``ServiceError/Code/overloaded``.
    package func picture(_ text: String, for address: String?) async throws -> [UInt8]? {
        guard let token = CaptchaToken(text, secret), token.expiresAt > clock() else { return nil }
        // A core of the tests' machine draws about a thousand pixels in a millisecond.
        try limits.takeImageWork(.milliseconds(2 + token.width * token.height / 1000), from: address)
        return try await painter.paint(
            CaptchaPicture(
                characters: token.characters(secret),
                width: token.width,
                height: token.height,
                seed: token.seed(secret)
            )
        )
    }

    /// Checks the answer to a captcha, which can be answered once, right or wrong: `verifyCaptcha`.
    ///
    /// - Parameters:
    ///   - answer: What the client sees in the picture, in either case.
    ///   - text: The token.
    ///   - caller: The caller.
    /// - Returns: The proof for one SMS.
    /// - Throws: ``ServiceError/Code/wrongCaptcha``, ``ServiceError/Code/overloaded``.
    package func solve(_ answer: String, _ text: String, as caller: Caller) async throws -> String {
        try limits.takeLogIn(by: caller)
        guard let token = CaptchaToken(text, secret), token.expiresAt > clock() else { throw CaptchaService.wrong }
        let isRight = Secret(token.characters(secret)).matches(answer.filter { !$0.isWhitespace }.uppercased())
        let proof = CaptchaProof(token, until: clock().adding(seconds: CaptchaService.lifetime))
        let isFirst = try await store.write { [ids, clock] writer in
            guard try writer.captcha(token.nonce) == nil else { return false }
            let now = clock()
            let fields: [String: JSONValue] = [
                "nonce": .string(token.nonce), "state": .string(isRight ? "solved" : "wrong"),
                "expiresAt": .date(proof.expiresAt),
            ]
            let row = StoredObject(id: ids.next(), createdAt: now, updatedAt: now, fields: fields)
            try writer.insert(row, into: .captcha)
            return true
        }
        guard isFirst, isRight else { throw CaptchaService.wrong }
        return proof.text(secret)
    }

    /// The proof in the body of a request for an SMS.
    ///
    /// - Returns: `nil` if none is needed and none is given, and for the master key.
    /// - Throws: ``ServiceError/Code/wrongCaptcha`` for a missing or wrong one, or one that has ended.
    func proof(in body: [String: JSONValue], by caller: Caller) throws -> CaptchaProof? {
        guard let text = body["validate_token"]?.stringValue else {
            guard !isRequired || caller.isMaster else {
                throw ServiceError(
                    .wrongCaptcha,
                    "validate_token is missing: this app sends an SMS only after a captcha was solved."
                )
            }
            return nil
        }
        guard let proof = CaptchaProof(text, secret), proof.expiresAt > clock() else { throw CaptchaService.badProof }
        return proof
    }

    private static let wrong = ServiceError(
        .wrongCaptcha,
        "The captcha was not solved: captcha_code is wrong, or the captcha was answered before or has ended."
    )

    fileprivate static let badProof = ServiceError(
        .wrongCaptcha,
        "validate_token is wrong, was used before, or has ended."
    )
}

extension ReadTransaction {
    fileprivate func captcha(_ nonce: String) throws -> StoredObject? {
        let isIt = Condition.field(FieldPath(field: "nonce"), .equals(.string(nonce)))
        return try find(ObjectQuery(.captcha, where: isIt, page: .first)).first
    }
}

extension WriteTransaction {
    /// Uses a proof up, in the transaction that queues its SMS.
    ///
    /// - Throws: ``ServiceError/Code/wrongCaptcha`` if it was used before.
    func useUp(_ proof: CaptchaProof, at now: Timestamp) throws {
        guard let row = try captcha(proof.nonce), row.fields["state"] == .string("solved") else {
            throw CaptchaService.badProof
        }
        var used = row
        used.fields["state"] = .string("used")
        used.touch(at: now)
        try update(used, in: .captcha, from: row)
    }
}

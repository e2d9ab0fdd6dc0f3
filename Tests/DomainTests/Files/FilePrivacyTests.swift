import Support
import Testing

@testable import Domain

@Suite struct FilePrivacyTests {
    private static let now = Timestamp(milliseconds: 1_700_000_000_500)
    private static let later = Timestamp(milliseconds: 1_700_000_600_000)
    private static let chain = RequestedImage.chain("imageView2/1/w/10")
    private static let style = RequestedImage.style("small")

    private let key: FileKey
    private let other: FileKey

    init() throws {
        key = try #require(FileKey("a.jpg"))
        other = try #require(FileKey("b.jpg"))
    }

    private func privacy(
        _ access: FileAccess = .private,
        _ images: ImageAccess = .any,
        app: String = "app",
        keys: [String] = ["first secret key"]
    ) throws -> FilePrivacy {
        let app = try #require(AppID(app))
        let signatures = URLSignatures(app: app, secrets: keys.map { Secret($0) })
        return FilePrivacy(access: access, images: images, life: 3600, signatures: signatures)
    }

    /// A signed query of another image or key than the one that is requested, for tests.
    private func query(
        _ image: RequestedImage = .source,
        of key: FileKey? = nil,
        by privacy: FilePrivacy? = nil
    ) throws -> SignedQuery {
        let privacy = try privacy ?? self.privacy()
        return SignedQuery(privacy.parameters(for: key ?? self.key, image, until: Self.later))
    }

    private func message(_ body: () throws -> Timestamp?) -> String? {
        let error = #expect(throws: ServiceError.self) { _ = try body() }
        #expect(error?.code == .unsignedURL)
        return error?.message
    }

    @Test("a signature is valid for its file, until it expires")
    func valid() throws {
        let query = try query()
        for seconds in [-100_000, 0, 599] {
            let time = Self.now.adding(seconds: seconds)
            #expect(try privacy().permit(.source, of: key, isPrivate: true, query, to: nil, at: time) == Self.later)
        }
        for seconds in [600, 601, 100_000] {
            let time = Self.now.adding(seconds: seconds)
            let message = message { try privacy().permit(.source, of: key, isPrivate: true, query, to: nil, at: time) }
            #expect(message == "The signature of this URL has expired.")
        }
    }

    @Test(
        "a private file needs a signature; a public one, and one whose reader was checked, does not",
        arguments: [true, false],
        [true, false]
    )
    func need(isPrivate: Bool, isRead: Bool) throws {
        let privacy = try privacy()
        let app = try #require(AppID("app"))
        let permit = { () throws -> Timestamp? in
            let reader = isRead ? Caller(app: app) : nil
            return try privacy.permit(
                .source,
                of: key,
                isPrivate: isPrivate,
                SignedQuery(nil),
                to: reader,
                at: Self.now
            )
        }
        if isPrivate, !isRead {
            #expect(message(permit) == "This URL needs a signature: 'e' and 'token' are missing or malformed.")
        } else {
            #expect(try permit() == nil)
        }
    }

    @Test("the signature of another file, app, key or expiry is wrong")
    func foreign() throws {
        let foreign = [
            try query(of: other), try query(by: privacy(app: "other")),
            try query(by: privacy(keys: ["another secret key"])),
            SignedQuery(
                try #require(privacy().parameters(for: key, until: Self.later)).replacing("e=17", with: "e=18")
            ),
            SignedQuery("e=1700000600&token="), SignedQuery("e=1700000600&token=%%%"),
            SignedQuery("e=1700000600&token=YQ"),
        ]
        for query in foreign {
            let message = message {
                try privacy().permit(.source, of: key, isPrivate: true, query, to: nil, at: Self.now)
            }
            #expect(message == "The signature of this URL is wrong.", "\(query)")
        }
    }

    @Test("the first key signs, and all are accepted, so that keys can rotate")
    func rotation() throws {
        let (old, both) = (
            try privacy(keys: ["the old secret"]), try privacy(keys: ["the new secret", "the old secret"])
        )
        let new = try privacy(keys: ["the new secret"])
        func isAccepted(_ signer: FilePrivacy, by verifier: FilePrivacy) throws -> Bool {
            let query = try query(by: signer)
            return (try? verifier.permit(.source, of: key, isPrivate: true, query, to: nil, at: Self.now)) != nil
        }
        #expect(try isAccepted(old, by: both))
        #expect(try isAccepted(both, by: new))
        #expect(try !isAccepted(both, by: old))
        #expect(try !isAccepted(old, by: new))
    }

    /// Who may see what: the columns are the images that a signature names.
    struct ImageCase: Sendable {
        let access: ImageAccess
        let isPrivate: Bool
        let requested: RequestedImage
        /// Whether the request is allowed without a signature, with that of the file, and with its own.
        let allowed: [Bool]
    }

    static let imageCases: [ImageCase] = [
        ImageCase(access: .any, isPrivate: false, requested: chain, allowed: [true, true, true]),
        ImageCase(access: .any, isPrivate: true, requested: chain, allowed: [false, true, true]),
        ImageCase(access: .any, isPrivate: true, requested: style, allowed: [false, true, true]),
        ImageCase(access: .styles, isPrivate: false, requested: .source, allowed: [true, true, true]),
        ImageCase(access: .styles, isPrivate: false, requested: style, allowed: [true, true, true]),
        ImageCase(access: .styles, isPrivate: false, requested: chain, allowed: [false, false, true]),
        ImageCase(access: .styles, isPrivate: true, requested: style, allowed: [false, true, true]),
        ImageCase(access: .styles, isPrivate: true, requested: chain, allowed: [false, false, true]),
        ImageCase(access: .signed, isPrivate: false, requested: .source, allowed: [true, true, true]),
        ImageCase(access: .signed, isPrivate: false, requested: style, allowed: [false, false, true]),
        ImageCase(access: .signed, isPrivate: false, requested: chain, allowed: [false, false, true]),
        ImageCase(access: .signed, isPrivate: true, requested: .source, allowed: [false, true, true]),
    ]

    @Test("images need a signature as the settings say", arguments: imageCases)
    func images(_ example: ImageCase) throws {
        let privacy = try privacy(.acl, example.access)
        let queries = [SignedQuery(nil), try query(by: privacy), try query(example.requested, by: privacy)]
        let allowed = queries.map { query in
            var isAllowed = true
            do {
                _ = try privacy.permit(
                    example.requested,
                    of: key,
                    isPrivate: example.isPrivate,
                    query,
                    to: nil,
                    at: Self.now
                )
            } catch {
                isAllowed = false
            }
            return isAllowed
        }
        #expect(allowed == example.allowed, "\(example)")
    }

    @Test(
        "operators behind the signature of the file are refused with the setting",
        arguments: [ImageAccess.styles, .signed]
    )
    func operators(access: ImageAccess) throws {
        let privacy = try privacy(.acl, access)
        let query = try query(by: privacy)
        let error = #expect(throws: ServiceError.self) {
            try privacy.permit(Self.chain, of: key, isPrivate: true, query, to: nil, at: Self.now)
        }
        #expect(error?.message.contains("images.access") == true, "\(error?.message ?? "")")
    }

    @Test("the signature of an image shows neither the file nor another image")
    func narrow() throws {
        let query = try query(Self.chain)
        for image in [RequestedImage.source, Self.style, .chain("imageView2/1/w/11"), .chain("style/small")] {
            #expect(throws: ServiceError.self) {
                try privacy().permit(image, of: key, isPrivate: true, query, to: nil, at: Self.now)
            }
        }
    }

    @Test("the master key gets every image of a file that it reads", arguments: ImageAccess.allCases)
    func master(access: ImageAccess) throws {
        let app = try #require(AppID("app"))
        let privacy = try privacy(.private, access)
        let master = Caller(app: app, isMaster: true)
        #expect(
            try privacy.permit(Self.chain, of: key, isPrivate: true, SignedQuery(nil), to: master, at: Self.now) == nil
        )
    }

    @Test("URLs in records live for at least the setting, and stay the same for a quarter of it")
    func expiry() throws {
        let privacy = try privacy()
        let expiries = (0..<3600).map { privacy.expiry(at: Self.now.adding(seconds: $0)).wholeSeconds }
        for (offset, expiry) in expiries.enumerated() {
            let life = expiry - Self.now.wholeSeconds - Int64(offset)
            #expect(3600 < life && life <= 4500)
        }
        #expect(Set(expiries).count <= 5)
    }

    @Test("a caller without the master key gets at most the life of URLs in records")
    func requestedLife() throws {
        let privacy = try privacy()
        let app = try #require(AppID("app"))
        let (guest, master) = (Caller(app: app), Caller(app: app, isMaster: true))
        #expect(try privacy.expiry(in: .integer(3600), at: Self.now, for: guest).wholeSeconds == 1_700_003_600)
        #expect(try privacy.expiry(in: .integer(7_200), at: Self.now, for: master).wholeSeconds == 1_700_007_200)
        #expect(try privacy.expiry(in: .null, at: Self.now, for: guest) == privacy.expiry(at: Self.now))
        for (value, caller) in [(3601, guest), (0, guest), (-1, master), (FilePrivacy.longestLife + 1, master)] {
            #expect(throws: ServiceError.self) {
                try privacy.expiry(in: .integer(Int64(value)), at: Self.now, for: caller)
            }
        }
        for value in [JSONValue.string("3600"), .bool(true), .number(1.5)] {
            #expect(throws: ServiceError.self) { try privacy.expiry(in: value, at: Self.now, for: master) }
        }
    }

    @Test("an ACL is private if it does not let everyone read")
    func acl() throws {
        let readable = try AccessControlList(["*": ["read": .bool(true)], "role:x": ["write": .bool(true)]])
        let owned = try AccessControlList(["653f00000000000000000001": ["read": .bool(true)]])
        let denied = try AccessControlList(["*": ["read": .bool(false), "write": .bool(true)]])
        let acls = [nil, readable, owned, denied, AccessControlList(stored: [:])]
        #expect(acls.map(FileAccess.acl.isPrivate) == [false, false, true, true, true])
        #expect(acls.map(FileAccess.public.isPrivate).allSatisfy { !$0 })
        #expect(acls.map(FileAccess.private.isPrivate).allSatisfy { $0 })
    }
}

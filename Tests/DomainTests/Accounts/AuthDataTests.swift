import Domain
import Testing

@Suite struct AuthDataTests {
    private func json(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Array(text.utf8), field: "authData")
    }

    private func applied(_ change: String, to stored: String, platform: String? = nil) throws -> AuthData {
        var data = AuthData(stored: try json(stored))
        try data.apply(try AuthData.changes(try json(change), of: platform))
        return data
    }

    @Test(
        "platforms are merged, removed and replaced one by one",
        arguments: [
            (#"{"github":{"uid":"2"}}"#, "{}", #"{"github":{"uid":"2"}}"#),
            (#"{"qq":{"openid":"q"}}"#, #"{"github":{"uid":"1"}}"#, #"{"github":{"uid":"1"},"qq":{"openid":"q"}}"#),
            (#"{"github":{"uid":"2"}}"#, #"{"github":{"uid":"1","t":1}}"#, #"{"github":{"uid":"2"}}"#),
            (#"{"github":null}"#, #"{"github":{"uid":"1"},"qq":{"openid":"q"}}"#, #"{"qq":{"openid":"q"}}"#),
            ("null", #"{"github":{"uid":"1"}}"#, "{}"),
            (#"{"github":{"uid":"1"}}"#, #"{"anonymous":{"id":"a"}}"#, #"{"github":{"uid":"1"}}"#),
            (#"{"_weixin_unionid":{"uid":"U"}}"#, "{}", "{}"),
        ]
    )
    func changes(change: String, stored: String, expected: String) throws {
        #expect(try applied(change, to: stored).json == json(expected))
    }

    @Test("a union's main account writes the union's entry, another platform of it does not")
    func unions() throws {
        let main = #"{"wx1":{"uid":"a","platform":"weixin","unionid":"U","main_account":true}}"#
        let sub = #"{"wx2":{"uid":"b","platform":"weixin","unionid":"U","main_account":false}}"#
        #expect(try applied(main, to: "{}").platforms["_weixin_unionid"] == json(#"{"uid":"U"}"#))
        #expect(try applied(sub, to: "{}").platforms["_weixin_unionid"] == nil)
        var both = try applied(main, to: "{}")
        try both.apply(AuthData.changes(json(sub), of: nil))
        try both.apply([.remove("wx1")])
        #expect(both.platforms["_weixin_unionid"] != nil)
        try both.apply([.remove("wx2")])
        #expect(both.json == .object([:]))
    }

    @Test("a union's entry lives only as long as a platform belongs to that very union")
    func unionsAreReleased() throws {
        let two = """
            {"wx1":{"uid":"a","platform":"weixin","unionid":"U1","main_account":true},\
            "wx2":{"uid":"b","platform":"weixin","unionid":"U2","main_account":false}}
            """
        var data = try applied(two, to: "{}")
        try data.apply([.remove("wx1")])
        #expect(data.platforms["_weixin_unionid"] == nil)
    }

    @Test("an anonymous id, which is not verified, belongs to no union")
    func anonymousUnion() throws {
        let claim = #"{"anonymous":{"id":"x","platform":"weixin","unionid":"U","main_account":true}}"#
        #expect(try Array(applied(claim, to: "{}").platforms.keys) == ["anonymous"])
        #expect(
            try AuthData.unionIdentity(of: "anonymous", json(#"{"id":"x","platform":"weixin","unionid":"U"}"#)) == nil
        )
    }

    @Test("a user with a platform is not anonymous, whatever its name", arguments: ["Alipay", "alipay", "github"])
    func anonymousGoes(platform: String) throws {
        let whole = #"{"anonymous":{"id":"a"},"\#(platform)":{"uid":"1"}}"#
        #expect(try Array(applied(whole, to: #"{"anonymous":{"id":"a"}}"#).platforms.keys) == [platform])
    }

    @Test("ids that can be written in several ways are told apart by their bytes, and from each other's digests")
    func bytes() throws {
        let (composed, decomposed) = ("\u{e9}", "e\u{301}")
        let identities = try [composed, decomposed, "e"].map { id in
            try AuthData.identity("github", .object(["uid": .string(id)]))
        }
        #expect(Set(identities).count == 3)
        let digest = identities[0].dropFirst("github#".count)
        #expect(try AuthData.identity("github", .object(["uid": .string("#\(digest)")])) != identities[0])
    }

    @Test("too many platforms are refused")
    func many() {
        let members = (0...100).map { #""p\#($0)":null"# }.joined(separator: ",")
        let error = #expect(throws: ServiceError.self) { try applied("{\(members)}", to: "{}") }
        #expect(error?.message.contains("100") == true)
    }

    @Test(
        "the identity is in a member whose name depends on the platform",
        arguments: [
            ("weixin", #"{"openid":"o"}"#, "weixin:o"), ("qq", #"{"openid":"o"}"#, "qq:o"),
            ("anonymous", #"{"id":"i"}"#, "anonymous:i"), ("github", #"{"uid":"u"}"#, "github:u"),
            ("github", #"{"uid":7}"#, "github:7"), ("weixin_app", #"{"uid":"u","openid":"o"}"#, "weixin_app:u"),
            ("weixin", #"{"uid":"u","openid":"o"}"#, "weixin:o"), ("wx-app", #"{"uid":"u"}"#, "wx-app:u"),
            // The member is a part of the identity, so that the id of one is not taken for the id of the other.
            ("weixin_app", #"{"openid":"o"}"#, "weixin_app/openid:o"), ("weixin", #"{"uid":"u"}"#, "weixin/uid:u"),
            ("weixin_app", #"{"uid":null,"openid":"o"}"#, "weixin_app/openid:o"),
            ("weixin_app", #"{"uid":"","openid":7}"#, "weixin_app/openid:7"),
            // Characters of an identity are escaped in a name.
            ("a/openid", #"{"uid":"u"}"#, "a%2fopenid:u"), ("a:b#%", #"{"uid":"u"}"#, "a%3ab%23%25:u"),
        ]
    )
    func identity(platform: String, data: String, expected: String) throws {
        #expect(try AuthData.identity(platform, json(data)) == expected)
    }

    @Test(
        "names of platforms are printable ASCII without dots and dollar signs",
        arguments: [
            ("wx-app", true), ("p1", true), ("a:b", true), (String(repeating: "p", count: 128), true),
            (String(repeating: "p", count: 129), false), ("", false), ("a b", false), ("a\u{7f}", false),
            ("a\n", false), ("$or", false), ("a.b", false), ("微信", false),
        ]
    )
    func names(platform: String, isValid: Bool) throws {
        let change: JSONValue = .object([platform: .object(["uid": .string("u")])])
        for isImport in [false, true] {
            guard isValid else {
                let error = #expect(throws: ServiceError.self) {
                    try AuthData.changes(change, of: nil, isImport: isImport)
                }
                #expect(error?.code == .invalidKey)
                continue
            }
            var data = AuthData(stored: nil)
            try data.apply(AuthData.changes(change, of: nil, isImport: isImport), isImport: isImport)
            #expect(Array(data.platforms.keys) == [platform])
        }
    }

    @Test("a union can have a name with a hyphen, and its platforms one id in openid")
    func unionOfOtherNames() throws {
        let main = #"{"wx-1":{"openid":"a","platform":"wei-xin","unionid":"U","main_account":true}}"#
        let data = try applied(main, to: "{}")
        #expect(try data.platforms["_wei-xin_unionid"] == json(#"{"uid":"U"}"#))
        #expect(data.identities == ["wx-1/openid:a", "_wei-xin_unionid:U"])
    }

    @Test(
        "a platform without an identity is refused",
        arguments: [
            ("weixin", "{}"), ("github", "{}"), ("github", #"{"uid":""}"#), ("anonymous", #"{"uid":"u"}"#),
            ("anonymous", #"{"openid":"u"}"#), ("github", #"{"openid":""}"#), ("github", #"{"openid":true}"#),
            ("github", #"{"uid":null}"#), ("github", #"{"uid":{"$ne":1}}"#), ("github", #"{"id":"u"}"#),
        ]
    )
    func missing(platform: String, data: String) {
        let error = #expect(throws: ServiceError.self) { try AuthData.identity(platform, json(data)) }
        #expect(error?.code == .missingLinkedID)
    }

    @Test(
        "other forms are refused",
        arguments: [
            ("1", nil, .typeMismatch), ("[]", nil, .typeMismatch), (#"{"github":1}"#, nil, .typeMismatch),
            (#"{"a.b":{"uid":"1"}}"#, nil, .invalidKey), ("1", "github", .typeMismatch),
        ] as [(String, String?, ServiceError.Code)]
    )
    func forms(change: String, platform: String?, code: ServiceError.Code) {
        let error = #expect(throws: ServiceError.self) { try applied(change, to: "{}", platform: platform) }
        #expect(error?.code == code)
    }
}

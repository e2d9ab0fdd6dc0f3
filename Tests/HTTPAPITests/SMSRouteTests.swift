import Domain
import HTTPTypes
import Support
import Testing

@testable import HTTPAPI

@Suite struct SMSRouteTests {
    private var server = TestServer()

    init() throws {
        var fixture = try SMSFixture()
        fixture.fixed = try #require(FixedNumbers("+8613800000000=123456", country: "86"))
        server.sms = fixture
    }

    private static let number = #"{"mobilePhoneNumber":"13800000000"}"#

    private static let requests: [(String, String, Int64?)] = [
        ("requestSmsCode", number, nil), ("requestMobilePhoneVerify", number, 213),
        ("requestLoginSmsCode", number, 213),
        ("requestPasswordResetBySmsCode", number, 213), ("requestChangePhoneNumber", number, 206),
    ]

    @Test(
        "every caller with credentials of the app can request a code; a guest of the server cannot",
        arguments: requests
    )
    func callers(call: String, body: String, code: Int64?) async throws {
        try await server.test { client in
            for who in Who.allCases {
                let answer = try await client.send("POST", "/1.1/\(call)", body, who.headers)
                if who == .guest {
                    #expect(answer.status == .unauthorized)
                } else if let code {
                    #expect(try answer.json()["code"] == .integer(code))
                } else {
                    #expect(answer.status == .ok && answer.text == "{}")
                }
            }
        }
    }

    private static let uses: [(String, String, String)] = [
        ("POST", "verifySmsCode/000000", number), ("POST", "verifyMobilePhone/000000", number),
        ("POST", "usersByMobilePhone", #"{"mobilePhoneNumber":"13800000000","smsCode":"000000"}"#),
        ("POST", "login", #"{"mobilePhoneNumber":"13800000000","smsCode":"000000"}"#),
        ("GET", "login?mobilePhoneNumber=13800000000&smsCode=000000", ""),
        ("PUT", "resetPasswordBySmsCode/000000", #"{"mobilePhoneNumber":"13800000000","password":"p"}"#),
        ("POST", "resetPasswordBySmsCode/000000", #"{"mobilePhoneNumber":"13800000000","password":"p"}"#),
    ]

    @Test("a wrong code is 603 for every caller of the app", arguments: uses)
    func wrong(method: String, path: String, body: String) async throws {
        try await server.test { client in
            for who in Who.allCases {
                let answer = try await client.send(method, "/1.1/\(path)", body.isEmpty ? nil : body, who.headers)
                #expect(answer.status == (who == .guest ? .unauthorized : .badRequest))
                if who != .guest { #expect(try answer.json()["code"] == .integer(603)) }
            }
        }
    }

    @Test("missing and malformed numbers are 212 and 127", arguments: ["requestSmsCode", "verifySmsCode/123456"])
    func numbers(path: String) async throws {
        try await server.test { client in
            let cases: [(String, Int64)] = [
                ("{}", 212), (#"{"mobilePhoneNumber":null}"#, 212), (#"{"mobilePhoneNumber":""}"#, 212),
                (#"{"mobilePhoneNumber":1}"#, 212), (#"{"mobilePhoneNumber":"x"}"#, 127), ("[]", 107),
            ]
            for (body, code) in cases {
                let answer = try await client.send("POST", "/1.1/\(path)", body)
                #expect(answer.status == .badRequest)
                #expect(try answer.json()["code"] == .integer(code), "\(body)")
            }
        }
    }

    @Test(
        "the number of a code can be in the query string, as some clients send it, also with a + that is not escaped",
        arguments: ["13800000000", "+8613800000000", "%2B8613800000000", "%208613800000000"]
    )
    func query(number: String) async throws {
        try await server.test { client in
            _ = try await client.send("POST", "/1.1/requestSmsCode", SMSRouteTests.number)
            let path = "/1.1/verifySmsCode/123456?mobilePhoneNumber=\(number)"
            let answer = try await client.send("POST", path, "{}")
            #expect(answer.status == .ok)
        }
    }

    @Test("a sign-up by code is 201 with the place of the user, and a log-in 200")
    func signUp() async throws {
        try await server.test { client in
            let body = #"{"mobilePhoneNumber":"13800000000","smsCode":"123456"}"#
            _ = try await client.send("POST", "/1.1/requestSmsCode", SMSRouteTests.number)
            let new = try await client.send("POST", "/1.1/usersByMobilePhone", body)
            let user = try new.json()
            #expect(new.status == .created)
            #expect(new.headers[.location] == "/1.1/classes/_User/\(user["objectId"]?.stringValue ?? "")")
            #expect(user["sessionToken"]?.stringValue?.count == 25)
            #expect(user["mobilePhoneVerified"] == .bool(true))
            _ = try await client.send("POST", "/1.1/requestSmsCode", SMSRouteTests.number)
            let known = try await client.send("POST", "/1.1/usersByMobilePhone", body)
            #expect(known.status == .ok)
            #expect(try known.json()["objectId"] == user["objectId"])
        }
    }

    @Test("without a body, the number is that of the user, as older SDKs mean it")
    func ownNumber() async throws {
        try await server.test { client in
            let body = #"{"username":"ann","password":"p","mobilePhoneNumber":"13800000000"}"#
            let user = try await client.send("POST", "/1.1/users", body).json()
            var headers = Who.client.headers
            headers[.known("X-LC-Session")] = user["sessionToken"]?.stringValue
            _ = try await client.send("POST", "/1.1/requestMobilePhoneVerify", SMSRouteTests.number)
            let stranger = try await client.send("POST", "/1.1/verifyMobilePhone/123456", nil)
            #expect(try stranger.json()["code"] == .integer(212))
            let answer = try await client.send("POST", "/1.1/verifyMobilePhone/123456", nil, headers)
            #expect(answer.status == .ok)
            #expect(Set(try answer.json().keys) == ["objectId", "updatedAt"])
            let shown = try await client.send("GET", "/1.1/users/me", nil, headers).json()
            #expect(shown["mobilePhoneVerified"] == .bool(true))
        }
    }

    @Test("the queue and the codes are for the master key")
    func queue() async throws {
        try await server.test { client in
            for (method, path) in [("GET", "sms"), ("GET", "sms?state=codes"), ("POST", "sms/retry")] {
                for (who, status) in [(Who.guest, 401), (.client, 403), (.master, 200), (.stranger, 403)] {
                    let body = method == "POST" ? #"{"all":true}"# : nil
                    let answer = try await client.send(method, "/1.1/\(path)", body, who.headers)
                    #expect(answer.status.code == status)
                }
            }
        }
    }

    @Test("operators see codes only of fixed numbers, unless SMS are written to the log", arguments: [false, true])
    func codes(shows: Bool) async throws {
        var server = server
        server.sms?.showsCodes = shows
        try await server.test { client in
            for number in ["13800000000", "13900000000"] {
                _ = try await client.send("POST", "/1.1/requestSmsCode", #"{"mobilePhoneNumber":"\#(number)"}"#)
            }
            let answer = try await client.send("GET", "/1.1/sms?state=codes", nil, Who.master.headers)
            let listed = try answer.json()["results"]?.arrayValue?.compactMap(\.objectValue) ?? []
            #expect(listed.map { $0["to"] } == ["+8613800000000", "+8613900000000"])
            #expect(listed.first?["code"] == "123456")
            #expect((listed.last?["code"] != nil) == shows)
            for name in ["_Sms", "_SmsCode"] {
                let rows = try await client.send("GET", "/1.1/classes/\(name)", nil, Who.client.headers)
                #expect(rows.status == .forbidden)
            }
        }
    }

    @Test("a captcha is a picture of the server, without keys and never cached")
    func captcha() async throws {
        try await server.test { client in
            let asked = try await client.send("GET", "/1.1/requestCaptcha?width=100&height=40")
            #expect(asked.headers[.cacheControl] == "no-store")
            let captcha = try asked.json()
            let url = try #require(captcha["captcha_url"]?.stringValue)
            let path = try #require(url.hasPrefix("https://api.example.com") ? String(url.dropFirst(23)) : nil)
            let picture = try await client.send("GET", path, nil, [:])
            #expect(picture.status == .ok)
            #expect(picture.headers[.contentType] == "image/png")
            #expect(picture.headers[.cacheControl] == "no-store")
            #expect(picture.text.count == 4)
            #expect(try await client.send("GET", path + "x", nil, [:]).status == .notFound)
            let token = captcha["captcha_token"]?.stringValue ?? ""
            let answer = #"{"captcha_code":"\#(picture.text)","captcha_token":"\#(token)"}"#
            let solved = try await client.send("POST", "/1.1/verifyCaptcha", answer)
            #expect(try solved.json()["validate_token"]?.stringValue?.isEmpty == false)
            #expect(try await client.send("POST", "/1.1/verifyCaptcha", answer).json()["code"] == .integer(608))
        }
    }

    @Test(
        "sizes and lives of captchas are bounded",
        arguments: [
            ("width=59", 400), ("width=60", 200), ("width=200", 200), ("width=201", 400), ("height=29", 400),
            ("height=100", 200), ("height=101", 400), ("size=3", 400), ("size=4", 200), ("size=6", 200),
            ("size=7", 400),
            ("ttl=9", 400), ("ttl=10", 200), ("ttl=240", 200), ("ttl=241", 400), ("width=x", 400),
            // Java sends 0 for a size that the app did not set, and Swift doubles.
            ("height=0&width=0", 200), ("width=0&height=29", 400), ("size=0", 400), ("ttl=0", 400),
            ("width=82.5&height=30.5", 200), ("width=200.9", 200), ("width=59.9", 400), ("width=82.0", 200),
            ("width=0.5", 400), ("width=-1", 400), ("width=nan", 400), ("width=1e400", 400),
        ]
    )
    func bounds(query: String, status: Int) async throws {
        try await server.test { client in
            let answer = try await client.send("GET", "/1.1/requestCaptcha?\(query)")
            #expect(answer.status.code == status)
        }
    }

    @Test("without SMS each call is 119 and names the setting")
    func off() async throws {
        try await TestServer().test { client in
            let calls = SMSRouteTests.requests.map { ("POST", $0.0, $0.1) } + SMSRouteTests.uses
            let captchas = [("GET", "requestCaptcha", ""), ("POST", "verifyCaptcha", "{}")]
            for (method, path, body) in calls + captchas {
                let answer = try await client.send(method, "/1.1/\(path)", body.isEmpty ? nil : body)
                #expect(answer.status == .badRequest)
                #expect(try answer.json()["code"] == .integer(119), "\(path)")
                #expect(answer.text.contains("sms.provider"))
            }
        }
    }

    @Test("too many SMS are 601 with the seconds to wait")
    func limit() async throws {
        var server = server
        server.sms?.settings.limits.perDay = 1
        try await server.test { client in
            let body = #"{"mobilePhoneNumber":"13900000000"}"#
            #expect(try await client.send("POST", "/1.1/requestSmsCode", body).status == .ok)
            let refused = try await client.send("POST", "/1.1/requestSmsCode", body)
            #expect(refused.status == .badRequest)
            #expect(try refused.json()["code"] == .integer(601))
            #expect(Int(refused.headers[.retryAfter] ?? "").map { (1...86_400).contains($0) } == true)
        }
    }
}

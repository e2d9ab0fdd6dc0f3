import Support
import Testing

@testable import S3

@Suite("What a store's refusals mean")
struct RefusalTests {
    private func error(_ reply: ScriptedReply) throws -> S3Error? {
        try ScriptedStore({ _, _ in reply }).with { client, _ in
            #expect(throws: S3Error.self) { try client.put("key", bytes: [1]) }
        }
    }

    @Test(
        "each refusal has one meaning",
        arguments: [
            (403, "AccessDenied", .refused), (403, "InvalidAccessKeyId", .refused),
            (403, "SignatureDoesNotMatch", .refused),
            (400, "InvalidArgument", .refused), (404, "NoSuchBucket", .settings), (404, "NoSuchKey", .missing),
            (403, "RequestTimeTooSkewed", .clock), (403, "QuotaExceeded", .full), (507, "XMinioStorageFull", .full),
            (400, "BadDigest", .damaged), (503, "SlowDown", .unavailable), (500, "InternalError", .unavailable),
            (501, "NotImplemented", .unavailable),
        ] as [(Int, String, S3Error.Reason)]
    )
    func hasReason(status: Int, code: String, reason: S3Error.Reason) throws {
        let error = try error(ScriptedStore.refusal(status, code))
        #expect(error?.reason == reason && error?.code == code)
    }

    @Test("a bucket in another region is named with its region, and the request is not sent there")
    func namesTheRegion() throws {
        let redirect = ScriptedStore.refusal(301, "PermanentRedirect", "", "x-amz-bucket-region: eu-west-3")
        #expect(try error(redirect)?.description == "the bucket bucket is in the region eu-west-3, not in us-east-1")
        let malformed = ScriptedStore.refusal(400, "AuthorizationHeaderMalformed", "<Region>eu-west-2</Region>")
        #expect(try error(malformed)?.description == "the bucket bucket is in the region eu-west-2, not in us-east-1")
        let elsewhere = ScriptedStore.refusal(307, "TemporaryRedirect", "<Endpoint>other.example.com</Endpoint>")
        #expect(try error(elsewhere)?.description.contains("redirects to other.example.com") == true)
    }

    @Test("a wrong clock is named with the difference")
    func namesTheClock() throws {
        let reply = ScriptedStore.refusal(403, "RequestTimeTooSkewed", "", "Date: Fri, 02 Jan 1970 00:00:00 GMT")
        let text = try #require(try error(reply)?.description)
        #expect(text.contains("the clock of this machine is wrong by") && text.contains("(fast)"))
    }

    @Test(
        "an answer that is no XML, or a bomb, is a refusal with its status",
        arguments: ["<html>", "<!DOCTYPE a><a/>"]
    )
    func takesNoDocument(_ text: String) throws {
        let error = try error(ScriptedReply(status: 403, body: Array(text.utf8)))
        #expect(error?.reason == .refused && error?.description.contains("403") == true)
    }

    @Test("an endless answer ends the request")
    func limitsAnswers() throws {
        let error = try error(ScriptedReply(status: 403, body: [UInt8](repeating: 0x61, count: 1 << 20)))
        #expect(error?.reason == .tooLarge)
    }

    @Test("no message has a key, and texts of the store stay on one line")
    func messagesAreSafe() throws {
        let error = try error(ScriptedStore.refusal(403, "A\u{7}&#10;B"))
        let text = try #require(error?.description)
        #expect(!text.contains("SECRET") && !text.contains("TOKEN") && !text.contains("\n") && !text.contains("\u{7}"))
    }
}

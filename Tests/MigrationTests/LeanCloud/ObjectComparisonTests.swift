import FileClient
import Testing

@testable import Migration

@Suite struct ObjectComparisonTests {
    private func differences(_ old: String, _ new: String, _ className: String = "Post") throws -> [String] {
        var field = ClassField()
        field.defaultValue = .integer(5)
        let comparison = ObjectComparison(className: className, fields: ["shown": field])
        return comparison.differences(try JSON(parsing: Array(old.utf8)), try JSON(parsing: Array(new.utf8)))
    }

    @Test(
        "values that mean the same are equal",
        arguments: [
            ("Post", #"{"n":40}"#, #"{"n":40.0}"#),
            (
                "Post", #"{"p":{"__type":"Pointer","className":"A","objectId":"1","x":1}}"#,
                #"{"p":{"__type":"Pointer","className":"A","objectId":"1"}}"#
            ),
            (
                "Post", #"{"f":[{"__type":"File","objectId":null,"id":"1"}]}"#,
                #"{"f":[{"__type":"Pointer","className":"_File","objectId":"1"}]}"#
            ),
            (
                "Post", #"{"f":[{"__type":"File","id":"1"}]}"#,
                #"{"f":[{"__type":"Pointer","className":"_File","objectId":"1"}]}"#
            ),
            (
                "Post", #"{"d":{"__type":"Date","iso":"2020-01-01T00:00:00Z"}}"#,
                #"{"d":{"__type":"Date","iso":"2020-01-01T00:00:00.000Z"}}"#
            ),
            (
                "Post", #"{"b":{"__type":"Bytes","base64":"aGlo\r\naQ=="}}"#,
                #"{"b":{"__type":"Bytes","base64":"aGloaQ=="}}"#
            ),
            ("Post", #"{"ACL":{"*":{"read":true,"write":false},"a":{}}}"#, #"{"ACL":{"*":{"read":true}}}"#),
            ("Post", #"{}"#, #"{"ACL":{"*":{"read":true,"write":true}}}"#),
            ("Post", #"{}"#, #"{"likes":{"__type":"Relation","className":"_User"}}"#),
            ("Post", #"{}"#, #"{"shown":5}"#),
            ("_User", #"{"password":"x","salt":"y"}"#, #"{"emailVerified":false,"username":"abc"}"#),
            ("_User", #"{"username":"","email":"","mobilePhoneNumber":""}"#, #"{"username":"random"}"#),
            ("_User", #"{"username":null,"email":null,"mobilePhoneNumber":null}"#, #"{"username":"random"}"#),
            ("_User", "{}", #"{"authData":{"weixin":{"openid":"a"}}}"#), ("_User", #"{"authData":{}}"#, "{}"),
            ("_User", #"{"authData":null}"#, #"{"authData":{}}"#),
            (
                "_File", #"{"metaData":{"owner":"a"},"mime_type":"text/plain; charset=gbk"}"#,
                #"{"metaData":{"owner":"a","size":1},"mime_type":"text/plain","url":"http://x/y"}"#
            ),
        ]
    )
    func equal(className: String, old: String, new: String) throws {
        #expect(try differences(old, new, className) == [])
    }

    @Test(
        "a difference names its field",
        arguments: [
            (#"{"n":9007199254740993}"#, #"{"n":9007199254740992}"#, "n"), (#"{"n":1}"#, #"{"n":true}"#, "n"),
            (
                #"{"b":{"__type":"Bytes","base64":"aGlo\r\naQ=="}}"#, #"{"b":{"__type":"Bytes","base64":"aGloag=="}}"#,
                "b"
            ),
            (#"{"n":1}"#, #"{}"#, "n"), (#"{}"#, #"{"n":1}"#, "n"), (#"{"n":null}"#, #"{}"#, "n"),
            (#"{}"#, #"{"shown":6}"#, "shown"), (#"{"a":[1,2]}"#, #"{"a":[2,1]}"#, "a"),
            (#"{"ACL":{}}"#, #"{"ACL":{"*":{"read":true}}}"#, "ACL"),
            (#"{"updatedAt":"2020-01-01T00:00:00.001Z"}"#, #"{"updatedAt":"2020-01-01T00:00:00.002Z"}"#, "updatedAt"),
            (
                #"{"p":{"__type":"Pointer","className":"A","objectId":"1"}}"#,
                #"{"p":{"__type":"Pointer","className":"B","objectId":"1"}}"#, "p"
            ),
        ]
    )
    func different(old: String, new: String, name: String) throws {
        #expect(try differences(old, new) == [name])
    }

    @Test(
        "a user differs by a name or an identity that the export or the server lacks",
        arguments: [
            (#"{"email":""}"#, #"{"email":"a@example.com"}"#, "email"),
            (#"{"mobilePhoneNumber":"+8613800138000"}"#, #"{"mobilePhoneNumber":""}"#, "mobilePhoneNumber"),
            (#"{"authData":{"weixin":{"openid":"a"}}}"#, #"{"authData":{}}"#, "authData"),
            (#"{"authData":{}}"#, #"{"authData":{"weixin":{"openid":"a"}}}"#, "authData"),
            (#"{"authData":null}"#, #"{"authData":{"weixin":{"openid":"a"}}}"#, "authData"),
            (#"{"nickname":""}"#, "{}", "nickname"),
        ]
    )
    func differentUser(old: String, new: String, name: String) throws {
        #expect(try differences(old, new, "_User") == [name])
    }
}

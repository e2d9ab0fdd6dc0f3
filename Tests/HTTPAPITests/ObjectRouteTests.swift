import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

@Suite struct ObjectRouteTests {
    private func send(
        _ client: TestClient,
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as who: Who = .client
    ) async throws -> TestResponse {
        try await client.send(method, path, body, who.headers)
    }

    @Test("answers are exactly those of the reference")
    func exact() async throws {
        try await TestServer().test { client in
            let created = try await send(client, "POST", "/1.1/classes/Task", #"{"n":1}"#)
            let id = try #require(try created.json()["objectId"]?.stringValue)
            #expect(created.headers[.location] == "/1.1/classes/Task/\(id)")
            #expect(Set(try created.json().keys) == ["objectId", "createdAt"])
            let path = "/1.1/classes/Task/\(id)"
            #expect(Set(try await send(client, "PUT", path, #"{"n":2}"#).json().keys) == ["objectId", "updatedAt"])
            let fetched = try await send(client, "PUT", "\(path)?fetchWhenSave=true", #"{"n":{"__op":"Increment"}}"#)
            #expect(try fetched.json()["n"] == .integer(3))
            let whole = try await send(client, "POST", "/1.1/classes/Task?new=true", #"{"m":"x"}"#).json()
            #expect(Set(whole.keys) == ["objectId", "createdAt", "updatedAt", "m"])
            #expect(try await send(client, "DELETE", path).text == "{}")
            #expect(try await send(client, "GET", path).text == "{}")
            let missing = try await send(client, "GET", "/1.1/classes/Nothing")
            #expect(missing.text == #"{"code":101,"error":"Class or object doesn't exists."}"#)
            let put = try await send(client, "PUT", path, "{}")
            #expect(put.text == #"{"code":1,"error":"Could not find object by id '\#(id)' for class 'Task'."}"#)
        }
    }

    @Test(
        "a string that is no id is answered like the id of an object that does not exist",
        arguments: [
            ("a-b", "a-b"), ("_", "_"), ("%20", "-"), ("%00", "-"), ("%zz", "-zz"), ("%FF", "-FF"),
            ("%E7%85%A7", "---"), (String(repeating: "x", count: 99), String(repeating: "x", count: 65)),
        ]
    )
    func noID(text: String, shown: String) async throws {
        try await TestServer().test { client in
            _ = try await send(client, "POST", "/1.1/classes/Task", #"{"n":1}"#)
            let path = "/1.1/classes/Task/\(text)"
            let lost = #"{"code":1,"error":"Could not find object by id '\#(shown)' for class 'Task'."}"#
            #expect(try await send(client, "GET", path).text == "{}")
            #expect(try await send(client, "DELETE", path).text == "{}")
            let put = try await send(client, "PUT", path, #"{"n":2}"#)
            #expect(put.status == .badRequest)
            #expect(put.text == lost)
            let answer = try await send(
                client,
                "POST",
                "/1.1/batch",
                #"""
                {"requests":[{"method":"GET","path":"\#(path)"},{"method":"PUT","path":"\#(path)","body":{"n":2}},
                {"method":"DELETE","path":"\#(path)"}]}
                """#
            )
            #expect(answer.text == #"[{"success":null},{"error":\#(lost)},{"success":{}}]"#)
            let user = try await send(client, "GET", "/1.1/users/\(text)")
            #expect(user.status == .badRequest)
            #expect(try user.json()["code"] == .integer(211))
            #expect(try await send(client, "GET", "/1.1/classes/Nothing/\(text)").status == .notFound)
            #expect(try await send(client, "GET", "/1.1/classes/Task").json()["results"]?.arrayValue?.count == 1)
        }
    }

    @Test(
        "only DELETE takes several ids, and a string among them that is no id counts",
        arguments: ["a-b,<id>", "<id>,%20"]
    )
    func severalIDs(list: String) async throws {
        try await TestServer().test { client in
            let made = try await send(client, "POST", "/1.1/classes/Task", #"{"n":1}"#).json()
            let id = try #require(made["objectId"]?.stringValue)
            let path = "/1.1/classes/Task/\(list.replacing("<id>", with: id))"
            #expect(try await send(client, "PUT", path, #"{"n":2}"#).status == .notFound)
            #expect(try await send(client, "GET", path).status == .notFound)
            #expect(try await send(client, "GET", "/1.1/classes/Task/\(id)").json()["n"] == .integer(1))
            #expect(try await send(client, "DELETE", path).text == "{}")
            #expect(try await send(client, "GET", "/1.1/classes/Task/\(id)").text == "{}")
        }
    }

    @Test("a path names at most 4000 objects, in a request and in a batch")
    func manyIDs() async throws {
        try await TestServer().test { client in
            let made = try await send(client, "POST", "/1.1/classes/Task", #"{"n":1}"#).json()
            let one = "/1.1/classes/Task/\(try #require(made["objectId"]?.stringValue))"
            let path = one + String(repeating: ",x", count: 3999)
            let refusal = #"{"code":1,"error":"A path names at most 4000 objects; this one has 4001 ids."}"#
            let refused = try await send(client, "DELETE", "\(path),x")
            #expect(refused.status == .badRequest)
            #expect(refused.text == refusal)
            let batch = #"{"requests":[{"method":"DELETE","path":"\#(path),x"}]}"#
            #expect(try await send(client, "POST", "/1.1/batch", batch).text == #"[{"error":\#(refusal)}]"#)
            #expect(try await send(client, "GET", one).json()["n"] == .integer(1))
            #expect(try await send(client, "DELETE", path).text == "{}")
            #expect(try await send(client, "GET", one).text == "{}")
        }
    }

    @Test("a condition on a change is in the query, and one that does not hold is 305")
    func conditional() async throws {
        try await TestServer().test { client in
            let made = try await send(client, "POST", "/1.1/classes/Task", #"{"n":1}"#).json()
            let path = "/1.1/classes/Task/\(made["objectId"]?.stringValue ?? "")?where="
            let unmet = "%7B%22n%22%3A+%7B%22$gt%22%3A1%7D%7D"
            let met = "%7B%22n%22%3A1%7D"
            for method in ["PUT", "DELETE"] {
                let refused = try await send(client, method, path + unmet, "{}")
                #expect(refused.status == .badRequest)
                #expect(refused.text == #"{"code":305,"error":"No effect on updating/deleting a document."}"#)
                #expect(try await send(client, method, path + met, "{}").status == .ok)
            }
        }
    }

    @Test("a batch goes on after what fails, and tells each outcome in its place")
    func batch() async throws {
        try await TestServer().test { client in
            let answer = try await send(
                client,
                "POST",
                "/1.1/batch",
                #"""
                {"requests":[{"method":"post","path":"/1.1/classes/Task","body":{"n":1}},
                {"method":"POST","path":"classes/Task","body":{"n":"x"}},
                {"method":"GET","path":"/1.1/classes/Task/ffffffffffffffffffffffff"},
                {"method":"GET","path":"/1.1/classes/Task","params":{"where":{"n":1},"limit":"10","count":true}},
                {"method":"GET","path":"/1.1/nosuch"},{"path":3},
                {"method":"DELETE","path":"/1.1/classes/Task/ffffffffffffffffffffffff","body":{}}]}
                """#
            )
            let items = try #require(try JSONValue(parsing: Array(answer.text.utf8), field: "").arrayValue)
            func code(_ index: Int) -> JSONValue? { items[index].objectValue?["error"]?.objectValue?["code"] }
            #expect(items[0].objectValue?["success"]?.objectValue?["objectId"] != nil)
            #expect(code(1) == .integer(111))
            #expect(items[2] == .object(["success": .null]))
            #expect(items[3].objectValue?["success"]?.objectValue?["count"] == .integer(1))
            #expect(code(4) == .integer(404))
            #expect(code(5) == .integer(107))
            #expect(items[6] == .object(["success": .object([:])]))
        }
    }

    @Test("batch/save points children at each other, merges what is one object, and saves all or nothing")
    func batchSave() async throws {
        let server = TestServer()
        try await server.test { client in
            let saved = try await send(
                client,
                "POST",
                "/1.1/batch/save",
                #"""
                {"requests":[{"method":"POST","path":"/1.1/classes/Folder","new":true,"body":{"name":"home","__internalId":"A"}},
                {"method":"POST","path":"/1.1/classes/Task","new":true,"body":{"n":1,"__internalId":"B"}},
                {"method":"PUT","path":"/1.1/classes/Task","new":true,"body":{"n":{"__op":"Increment","amount":1},
                "__internalId":"B","__children":[{"className":"Folder","cid":"A","key":"folder"}]}}]}
                """#
            ).json()
            #expect(Set(saved.keys) == ["A", "B"])
            #expect(Set(saved["B"]?.objectValue?.keys.map { $0 } ?? []) == ["objectId", "createdAt", "updatedAt"])
            let found = try await send(client, "GET", "/1.1/classes/Task?include=folder").json()
            let task = try #require(found["results"]?.arrayValue?.first?.objectValue)
            #expect(task["n"] == .integer(2))
            #expect(task["folder"]?.objectValue?["name"] == "home")
            #expect(task["__internalId"] == nil)

            let failed = try await send(
                client,
                "POST",
                "/1.1/batch/save",
                #"""
                {"requests":[{"method":"POST","path":"/1.1/classes/Task","body":{"n":7,"__internalId":"C"}},
                {"method":"POST","path":"/1.1/classes/Task","body":{"n":"x","__internalId":"D"}}]}
                """#
            )
            #expect(failed.status == .badRequest)
            #expect(try failed.json()["code"] == .integer(111))
        }
        #expect(server.store.count(of: try ClassName("Task")) == 1)
    }

    @Test("a new object that batch/save names several times is made once, with the fields of all its items")
    func repeatedCreation() async throws {
        let server = TestServer()
        try await server.test { client in
            let saved = try await send(
                client,
                "POST",
                "/1.1/batch/save",
                #"""
                {"requests":[
                {"method":"POST","path":"/1.1/classes/Folder","new":true,"body":{"name":"home","__internalId":"F"}},
                {"method":"POST","path":"/1.1/classes/Folder","new":true,"body":{"__internalId":"F"}},
                {"method":"POST","path":"/1.1/classes/Folder","new":true,"body":{"n":1,"__internalId":"F"}},
                {"method":"POST","path":"/1.1/classes/Task","new":true,"body":{"__internalId":"T"}},
                {"method":"PUT","path":"/1.1/classes/Task","new":true,"body":{"__internalId":"T",
                "__children":[{"className":"Folder","cid":"F","key":"folder"}]}},
                {"method":"POST","path":"/1.1/users","new":true,
                "body":{"username":"ann","password":"p4ss","__internalId":"U"}},
                {"method":"POST","path":"/1.1/users","new":true,"body":{"__internalId":"U","city":"Lyon"}}]}
                """#
            ).json()
            #expect(Set(saved.keys) == ["F", "T", "U"])
            #expect(Set(saved["F"]?.objectValue?.keys.map { $0 } ?? []) == ["objectId", "createdAt", "updatedAt"])
            #expect(saved["U"]?.objectValue?["sessionToken"] != nil)
            let found = try await send(client, "GET", "/1.1/classes/Task?include=folder").json()
            let folder = try #require(found["results"]?.arrayValue?.first?.objectValue?["folder"]?.objectValue)
            #expect(folder["objectId"] == saved["F"]?.objectValue?["objectId"])
            #expect(folder["name"] == "home")
            #expect(folder["n"] == .integer(1))
        }
        #expect(server.store.count(of: try ClassName("Folder")) == 1)
        #expect(server.store.count(of: .user) == 1)
    }

    @Test(
        "one name for objects of two classes, and an id that a client gives, are refused",
        arguments: [
            ("classes/Task", #"{"__internalId":"F"}"#, 1),
            ("classes/Folder", #"{"__internalId":"F","objectId":"a"}"#, 105),
        ] as [(String, String, Int64)]
    )
    func repeatedCreationOfAnother(path: String, body: String, code: Int64) async throws {
        let server = TestServer()
        try await server.test { client in
            let refused = try await send(
                client,
                "POST",
                "/1.1/batch/save",
                #"""
                {"requests":[{"method":"POST","path":"/1.1/classes/Folder","body":{"__internalId":"F"}},
                {"method":"POST","path":"/1.1/\#(path)","body":\#(body)}]}
                """#
            )
            #expect(refused.status == .badRequest)
            #expect(try refused.json()["code"] == .integer(code))
        }
        #expect(server.store.count(of: try ClassName("Folder")) == 0)
    }

    @Test(
        "batch/save refuses a POST with an id like a batch, instead of creating another object",
        arguments: ["classes/Task/<id>", "classes/_User/<id>", "users/<id>", "classes/Task/<id>,a", "classes/Task/-"]
    )
    func creationWithID(path: String) async throws {
        let server = TestServer()
        try await server.test { client in
            let made = try await send(client, "POST", "/1.1/classes/Task", "{}").json()
            let id = try #require(made["objectId"]?.stringValue)
            let request = #"""
                {"requests":[{"method":"POST","path":"/1.1/\#(path.replacing("<id>", with: id))",
                "body":{"username":"ann","password":"p4ss","__internalId":"\#(id)"}}]}
                """#
            let refusal = #"{"code":404,"error":"There is no such path or method."}"#
            #expect(try await send(client, "POST", "/1.1/batch", request).text == #"[{"error":\#(refusal)}]"#)
            let saved = try await send(client, "POST", "/1.1/batch/save", request)
            #expect(saved.status == .notFound)
            #expect(saved.text == refusal)
        }
        #expect(server.store.count(of: try ClassName("Task")) == 1)
        #expect(server.store.count(of: .user) == 0)
    }

    @Test("a scan walks the whole class in pages and ends with null")
    func scan() async throws {
        try await TestServer().test { client in
            for number in 0..<5 { _ = try await send(client, "POST", "/1.1/classes/Task", "{\"n\":\(number)}") }
            var seen: [JSONValue] = []
            var cursor: String? = ""
            while let next = cursor {
                let page = try await send(
                    client,
                    "GET",
                    "/1.1/scan/classes/Task?limit=2&scan_key=-n&cursor=\(next)",
                    as: .master
                ).json()
                seen += page["results"]?.arrayValue ?? []
                cursor = page["cursor"]?.stringValue
            }
            #expect(seen.compactMap { $0.objectValue?["n"] } == [4, 3, 2, 1, 0].map { .integer($0) })
            let foreign = try await send(client, "GET", "/1.1/scan/classes/Task?cursor=abcd", as: .master)
            #expect(foreign.status == .badRequest)
        }
    }

    @Test(
        "bodies that are no JSON object are 107",
        arguments: ["{", "[]", "1", #"{"a":1,"a":2}"#, #"{"a":1e999}"#, "\u{feff}{}"]
    )
    func malformed(body: String) async throws {
        try await TestServer().test { client in
            for (method, path) in [("POST", "/1.1/classes/Task"), ("POST", "/1.1/batch"), ("POST", "/1.1/batch/save")] {
                let response = try await send(client, method, path, body)
                #expect(response.status == .badRequest)
                #expect(try response.json()["code"] == .integer(107))
            }
        }
    }
}

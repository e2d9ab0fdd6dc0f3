import HTTPTypes
import Testing

@testable import HTTPAPI

/// Permissions of classes for every kind of request: an operation is allowed for the callers in its list.
@Suite struct ClassPermissionWayTests {
    private static let item = "classes/Guarded/<id>"
    private static let guarded = #""path":"/1.1/classes/Guarded""#
    private static let itemOfBatch = #""path":"/1.1/classes/Guarded/<id>""#
    private static let inQuery = #"{"pointer":{"$inQuery":{"className":"Guarded","where":{"n":0}}}}"#
    private static let notInQuery = #"{"pointer":{"$notInQuery":{"className":"Guarded","where":{"n":0}}}}"#
    private static let select = #"{"n":{"$select":{"query":{"className":"Guarded","where":{"n":0}},"key":"n"}}}"#
    private static let dontSelect =
        #"{"n":{"$dontSelect":{"query":{"className":"Guarded","where":{"n":0}},"key":"n"}}}"#
    private static let relation =
        #"{"__op":"AddRelation","objects":[{"__type":"Pointer","className":"Guarded","objectId":"<id>"}]}"#

    private static let ways: [(operation: String, ways: [Way])] = [
        ("create", creates), ("get", gets), ("find", finds), ("update", updates), ("delete", deletes),
        ("add_fields", newFields),
    ]

    private static let creates = [
        Way(name: "alone", path: "classes/Guarded", body: #"{"n":2}"#),
        Way(name: "with the flag", path: "classes/Guarded?fetchWhenSave=true", body: #"{"n":2}"#),
        .batch(#"{"method":"POST",\#(guarded),"body":{"n":2}}"#),
        .save(#"{"method":"POST",\#(guarded),"new":true,"body":{"n":2,"__internalId":"A"}}"#),
        .tunnel("classes/Guarded", #"{"_method":"POST","n":2}"#),
    ]

    private static let gets = [
        Way(name: "alone", method: "GET", path: item),
        Way(name: "with parameters", method: "GET", path: "\(item)?include=pointer&keys=n&returnACL=true"),
        .batch(#"{"method":"GET",\#(itemOfBatch)}"#),
        .tunnel(item, #"{"_method":"GET"}"#),
    ]

    private static let finds = [
        Way(name: "alone", method: "GET", path: "classes/Guarded"),
        Way(name: "by id", method: "GET", path: "classes/Guarded", condition: #"{"objectId":"<id>"}"#),
        Way(name: "count", method: "GET", path: "classes/Guarded?limit=0&count=1"),
        .batch(#"{"method":"GET",\#(guarded),"params":{"limit":1}}"#),
        .tunnel("classes/Guarded", #"{"_method":"GET","limit":1}"#),
        Way(name: "$inQuery", method: "GET", path: "classes/Outer", condition: inQuery),
        Way(name: "$notInQuery", method: "GET", path: "classes/Outer", condition: notInQuery),
        Way(name: "$select", method: "GET", path: "classes/Outer", condition: select),
        Way(name: "$dontSelect", method: "GET", path: "classes/Outer", condition: dontSelect),
        Way(
            name: "sub-query in $or",
            method: "GET",
            path: "classes/Outer",
            condition: #"{"$or":[\#(inQuery),{"n":0}]}"#
        ),
        .batch(
            "sub-query in a batch",
            #"{"method":"GET","path":"/1.1/classes/Outer","params":{"where":\#(select)}}"#
        ),
        Way(
            name: "sub-query of a change",
            method: "PUT",
            path: "classes/Outer/<outer>",
            condition: inQuery,
            body: #"{"m":1}"#
        ),
        Way(
            name: "redirect",
            method: "GET",
            path: "classes/Outer?redirectClassNameForKey=all",
            condition:
                #"{"$relatedTo":{"object":{"__type":"Pointer","className":"Outer","objectId":"<outer>"},"key":"all"}}"#
        ),
    ]

    private static let updates = [
        Way(name: "alone", method: "PUT", path: item, body: #"{"n":2}"#),
        Way(name: "condition", method: "PUT", path: item, condition: #"{"n":1}"#, body: #"{"n":2}"#),
        Way(name: "operation", method: "PUT", path: item, body: #"{"n":{"__op":"Increment","amount":1}}"#),
        Way(name: "dotted", method: "PUT", path: item, body: #"{"object.x":1}"#),
        Way(name: "ACL", method: "PUT", path: item, body: #"{"ACL":{"*":{"read":true}}}"#),
        Way(name: "nothing", method: "PUT", path: item, body: "{}"),
        .batch(#"{"method":"PUT",\#(itemOfBatch),"body":{"n":2}}"#),
        .save(#"{"method":"PUT",\#(itemOfBatch),"body":{"n":2,"__internalId":"<id>"}}"#),
        .tunnel(item, #"{"_method":"PUT","n":2}"#),
    ]

    private static let deletes = [
        Way(name: "alone", method: "DELETE", path: item),
        Way(name: "several", method: "DELETE", path: "\(item),000000000000000000000000"),
        Way(name: "condition", method: "DELETE", path: item, condition: #"{"n":1}"#),
        .batch(#"{"method":"DELETE",\#(itemOfBatch)}"#),
        .tunnel(item, #"{"_method":"DELETE"}"#),
    ]

    private static let newFields = [
        Way(name: "create", path: "classes/Guarded", body: #"{"<new>":1}"#),
        Way(name: "create of a relation", path: "classes/Guarded", body: #"{"<new>":\#(relation)}"#),
        Way(name: "update", method: "PUT", path: item, body: #"{"<new>":1}"#),
        Way(name: "operation", method: "PUT", path: item, body: #"{"<new>":{"__op":"Increment","amount":1}}"#),
        Way(name: "relation", method: "PUT", path: item, body: #"{"<new>":\#(relation)}"#),
        .batch(#"{"method":"POST",\#(guarded),"body":{"<new>":1}}"#),
        .batch("update of a batch", #"{"method":"PUT",\#(itemOfBatch),"body":{"<new>":1}}"#),
        .save(#"{"method":"POST",\#(guarded),"new":true,"body":{"<new>":1,"__internalId":"A"}}"#),
        .save(
            "update of batch/save",
            #"{"method":"PUT",\#(itemOfBatch),"body":{"<new>":1,"__internalId":"<id>"}}"#
        ),
        .save(
            "child",
            #"""
            {"method":"POST",\#(guarded),"new":true,"body":{"__internalId":"A"}},
            {"method":"POST",\#(guarded),"new":true,"body":{"__internalId":"B",
            "__children":[{"className":"Guarded","cid":"A","key":"<new>"}]}}
            """#
        ),
        .tunnel(item, #"{"_method":"PUT","<new>":1}"#),
    ]

    @Test(
        "an operation is allowed for the callers in its list",
        arguments: ways.flatMap { row in row.ways.map { (row.operation, $0) } }
    )
    func operation(operation: String, way: Way) async throws {
        try await TestServer().test { client in
            let cast = try await Cast(client)
            let zero = try await cast.created("classes/Guarded", #"{"n":0,"object":{}}"#)
            let pointer = #"{"__type":"Pointer","className":"Guarded","objectId":"\#(zero)"}"#
            let outer = try await cast.created(
                "classes/Outer",
                #"{"n":0,"m":0,"pointer":\#(pointer),"all":{"__op":"AddRelation","objects":[\#(pointer)]}}"#
            )
            var number = 0
            for audience in CastAudience.allCases {
                for caller in CastMember.allCases {
                    number += 1
                    let id = try await cast.created("classes/Guarded", #"{"n":1,"object":{}}"#)
                    let opened = #"{"\#(operation)":\#(cast.entries(audience))}"#
                    #expect(try await cast.send("PUT", "permissions/Guarded", opened).status == .ok)
                    let before = try await state(of: id, cast)
                    let response = try await cast.send(
                        way,
                        ["id": id, "outer": outer, "new": "new\(number)"],
                        as: caller
                    )
                    let refusal = try response.refusal()
                    if audience.includes(caller) {
                        #expect(refusal == nil, "\(caller), open to \(audience)")
                    } else {
                        #expect(refusal == .forbidden(operation, "Guarded"), "\(caller), open to \(audience)")
                        #expect(response.status == (way.isBatch ? .ok : .forbidden))
                        #expect(try await state(of: id, cast) == before, "\(caller), open to \(audience)")
                    }
                }
            }
        }
    }

    /// The object, and how many there are.
    private func state(of id: String, _ cast: Cast) async throws -> [String] {
        [
            try await cast.send("GET", "classes/Guarded/\(id)?returnACL=true").text,
            try await cast.send("GET", "classes/Guarded?limit=0&count=1").text,
        ]
    }
}

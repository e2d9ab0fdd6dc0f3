import Domain
import PCREPatterns
import Support
import Testing

@testable import SQLiteStore

/// How SQLite runs the queries of relations and inboxes: each is a range of an index, however many users there are.
@Suite struct PeoplePlanTests {
    private static let ann = #"{"__type":"Pointer","className":"_User","objectId":"a"}"#
    private static let bob = #"{"__type":"Pointer","className":"_User","objectId":"b"}"#

    @Test(
        "queries of relations and inboxes search an index",
        arguments: [
            ("_Follower", #"{"user":\#(ann),"objectId":{"$gt":"f"}}"#, "objectId", "<expr>=? AND id>?"),
            ("_Follower", #"{"user":\#(ann),"follower":\#(bob)}"#, "", "<expr>=? AND <expr>=?"),
            ("_Follower", #"{"follower":\#(ann)}"#, "", "<expr>=?"),
            ("_Followee", #"{"user":\#(ann),"followee":\#(bob)}"#, "", "<expr>=? AND <expr>=?"),
            ("_Followee", #"{"followee":\#(ann)}"#, "", "<expr>=?"),
            ("_FriendshipRequest", #"{"user":\#(ann),"friend":\#(bob)}"#, "", "<expr>=? AND <expr>=?"),
            ("_Blocklist", #"{"user":\#(ann),"blockedUser":\#(bob)}"#, "", "<expr>=? AND <expr>=?"),
            ("_Status", #"{"source":\#(ann)}"#, "", "<expr>=?"),
            ("_Installation", #"{"deviceToken":"t"}"#, "", "<expr>=?"),
            ("_Installation", #"{"installationId":"i"}"#, "", "<expr>=?"),
            ("_InboxItem", #"{"place":{"$gt":"a/b/1","$lte":"a/b/2"}}"#, "-place", "<expr>>? AND <expr><?"),
            ("_InboxItem", #"{"delivery":{"$gt":"s/","$lt":"s0"}}"#, "", "<expr>>? AND <expr><?"),
            ("_InboxItem", #"{"delivery":{"$in":["s/a","s/b"]}}"#, "", "<expr>=?"),
            ("_Inbox", #"{"box":{"$in":["a/default","b/default"]}}"#, "", "<expr>=?"),
            ("_PeopleJob", #"{"turn":{"$lte":"000000000000001"}}"#, "turn", "<expr><?"),
        ]
    )
    func plans(name: String, condition: String, order: String, search: String) async throws {
        try await Samples.withFolder { folder in
            let database = try SQLiteDatabase(path: "\(folder)/db.sqlite")
            let store = SQLiteObjectStore(database)
            _ = try await PeopleApp(store)
            var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
            let json = try JSONValue(parsing: Array(condition.utf8), field: "where")
            let query = ObjectQuery(
                try ClassName(name),
                where: try parser.parse(json),
                order: try SortKey.list(order),
                page: try Page(limit: 100)
            )
            let plan = try #require(try await store.read { try $0.explain(query, counting: false) }).plan
            let first = try #require(plan.first)
            #expect(first.hasPrefix("SEARCH class_") && first.hasSuffix("(\(search))"), "\(plan)")
            if !order.isEmpty { #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)") }
            try database.close()
        }
    }
}

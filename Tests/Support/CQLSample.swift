internal import Domain
internal import Testing

/// The objects on which the statements of the table run.
enum CQLSample {
    /// Creates the classes Folder and Task; guests are not allowed to read the last task.
    static func fill(_ service: ObjectService, as master: Caller) async throws {
        for (name, body) in objects {
            let json = try JSONValue(parsing: Array(body.utf8), field: "body")
            let change = try ObjectChange(json, allowsPaths: false)
            _ = try await service.perform(
                ObjectCommand(try ClassName(name), .create(change, returnsObject: false)),
                as: master
            )
        }
    }

    private static let objects = [
        (
            "Folder",
            #"{"objectId":"f1","name":"b","size":1,"likes":{"__op":"AddRelation","objects":[\#(task("t01")),\#(task("t03"))]}}"#
        ),
        ("Folder", #"{"objectId":"f2","name":"a","size":2,"parent":\#(folder("f1"))}"#),
        ("Folder", #"{"objectId":"f3","name":"b","size":3,"parent":\#(folder("f2"))}"#),
        (
            "Task",
            #"{"objectId":"t01","n":1,"m":1,"s":"a","done":true,"tags":["x","y"],"on":\#(date(1)),"o":{"city":"Lyon"}}"#
        ),
        (
            "Task",
            #"{"objectId":"t02","n":2,"m":2,"s":"b","done":true,"tags":["x"],"on":\#(date(2)),"folder":\#(folder("f1"))}"#
        ),
        ("Task", #"{"objectId":"t03","n":3,"m":3,"s":"b","done":false,"tags":["y","x"],"folder":\#(folder("f2"))}"#),
        (
            "Task",
            #"{"objectId":"t04","n":4,"m":null,"s":"abc","done":true,"tags":[],"folder":\#(folder("f3")),"o":{}}"#
        ),
        (
            "Task",
            #"{"objectId":"t05","n":-1,"s":"","名":"甲","at":\#(point(2.35, 48.85)),"data":{"__type":"Bytes","base64":"aGk="}}"#
        ),
        (
            "Task",
            #"{"objectId":"t06","n":2.5,"s":"b c","at":\#(point(-0.13, 51.5)),"tags":["y","z"],"o":{"list":[1],"city":"Paris"}}"#
        ),
        (
            "Task",
            #"{"objectId":"t07","n":7,"s":"line\nbreak","at":\#(point(151.2, -33.87)),"on":\#(date(9)),"done":false}"#
        ),
        ("Task", #"{"objectId":"t08","n":-100,"m":9,"s":"a.b","folder":\#(folder("f1")),"tags":["x","y"]}"#),
        ("Task", #"{"objectId":"t09","n":99,"s":"中文","o":{"a":{"b":[1,{"c":null}]}}}"#),
        ("Task", "{\"objectId\":\"t10\",\"2nd\":1,\"_x\":1,\(keywords)}"),
        ("Task", #"{"objectId":"t11","n":3,"s":"it's","m":-2,"S_":"x","on":\#(date(3))}"#),
        ("Task", #"{"objectId":"t12","n":2,"s":"b","m":5,"done":true,"at":\#(point(3, 47)),"ACL":{}}"#),
    ]

    /// Fields whose names are keywords.
    private static let keywords = [
        "select", "from", "where", "limit", "order", "by", "count", "include", "like", "in", "not", "is", "size",
        "related", "near", "date", "values", "set", "and", "or", "min",
    ].map { "\"\($0)\":1" }.joined(separator: ",")

    private static func task(_ id: String) -> String {
        #"{"__type":"Pointer","className":"Task","objectId":"\#(id)"}"#
    }

    private static func folder(_ id: String) -> String {
        #"{"__type":"Pointer","className":"Folder","objectId":"\#(id)"}"#
    }

    private static func date(_ month: Int) -> String {
        #"{"__type":"Date","iso":"2024-0\#(month)-01T08:00:00.120Z"}"#
    }

    private static func point(_ longitude: Double, _ latitude: Double) -> String {
        #"{"__type":"GeoPoint","longitude":\#(longitude),"latitude":\#(latitude)}"#
    }
}

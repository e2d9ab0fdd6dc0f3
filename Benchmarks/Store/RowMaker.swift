internal import Domain

/// Makes objects of all three classes; every run gets the same fields.
struct RowMaker {
    /// Who items belong to.
    var owners: [ObjectID] = []
    private let owner: ClassName
    /// How many values `rank` has.
    private let ranks: Int64
    private let ids = ObjectIDGenerator()
    private var random = SplitMix64()
    private var made: Int64 = 0

    init(owner: ClassName, ranks: Int64) {
        self.owner = owner
        self.ranks = ranks
    }

    mutating func ownerObject() -> StoredObject {
        object(["name": .string("Owner \(digits(1))")])
    }

    mutating func itemObject() -> StoredObject {
        object(itemFields())
    }

    /// Two strings, three numbers, a boolean, a date, a pointer, an array, an object.
    mutating func itemFields() -> [String: JSONValue] {
        let due = Timestamp(milliseconds: 1_700_000_000_000 + Int64.random(in: 0..<50_000_000_000, using: &random))
        var fields: [String: JSONValue] = [
            "title": .string("An item with a title of the usual length"),
            "code": .string(digits(1)),
            "rank": .integer(Int64.random(in: 0..<ranks, using: &random)),
            "stars": .integer(Int64.random(in: 1...5, using: &random)),
            "price": .number(Double(Int.random(in: 1...999, using: &random)) + 0.25),
            "done": .bool(Bool.random(using: &random)),
            "due": .date(due),
            "tags": .array([.string("red"), .string("large"), .string("new")]),
            "profile": .object(["city": .string("Lyon"), "age": .integer(Int64.random(in: 18...99, using: &random))]),
        ]
        if let id = owners.randomElement(using: &random) { fields["owner"] = Pointer(owner, id).json }
        return fields
    }

    mutating func fileObject() throws -> StoredObject {
        guard let key = FileKey("\(digits(2)).jpg") else { throw Failure("no key") }
        let moment = nextMoment()
        let size = Int64.random(in: 1000..<9_000_000, using: &random)
        let md5 = digits(2)
        let record = FileRecord(
            id: ids.next(),
            key: key,
            name: try FileName("photo-\(made).jpg", limit: 255),
            mediaType: .jpeg,
            detectedType: .jpeg,
            facts: BlobFacts(size: size, digest: .contentHash("F\(digits(1))"), md5: md5),
            metaData: ["size": .integer(size), "_checksum": .string(md5), "owner": .string("unknown")],
            acl: nil,
            createdAt: moment
        )
        return record.object
    }

    private mutating func object(_ fields: [String: JSONValue]) -> StoredObject {
        let moment = nextMoment()
        return StoredObject(id: ids.next(), createdAt: moment, updatedAt: moment, fields: fields)
    }

    /// Twenty seconds lie between two objects: a million take half a year.
    private mutating func nextMoment() -> Timestamp {
        made += 1
        return Timestamp(milliseconds: 1_700_000_000_000 + made * 20_000)
    }

    /// So many times sixteen hexadecimal digits.
    private mutating func digits(_ count: Int) -> String {
        var text = ""
        for _ in 0..<count {
            let part = String(random.next(), radix: 16)
            text += String(repeating: "0", count: 16 - part.count) + part
        }
        return text
    }
}

/// A generator that is fast and begins anew in each run.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64 = 1

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

import Domain
import PCREPatterns
import Support
import Testing

@Suite struct ConditionParserTests {
    private func parse(_ text: String, limits: QueryLimits = QueryLimits()) throws -> Condition {
        var parser = ConditionParser(limits: limits, engine: PCREEngine())
        return try parser.parse(try JSONValue(parsing: Array(text.utf8), field: "where"))
    }

    @Test(
        "what is wrong is named by its path",
        arguments: [
            ("1", "where must be a JSON object"), (#""x""#, "where must be a JSON object"), ("[1]", "where[0] must be"),
            (#"{"n":{"$foo":1}}"#, "where.n.$foo is not a known operator"),
            (#"{"n":{"$eq":1}}"#, "where.n.$eq is not"), (#"{"n":{"$not":{}}}"#, "where.n.$not is not"),
            (#"{"$nor":[]}"#, "where.$nor is not"), (#"{"$where":"1"}"#, "where.$where is not"),
            (#"{"$and":{}}"#, "where.$and must be an array"), (#"{"$or":[]}"#, "where.$or must be an array"),
            (#"{"$or":[{"a":1},2]}"#, "where.$or[1] must be"), (#"{"n":{"$in":1}}"#, "where.n.$in must be an array"),
            (#"{"n":{"$all":"x"}}"#, "where.n.$all must be"), (#"{"n":{"$exists":"x"}}"#, "where.n.$exists must be"),
            (#"{"n":{"$size":-1}}"#, "where.n.$size must be"), (#"{"n":{"$size":1.5}}"#, "where.n.$size must be"),
            (#"{"n":{"$regex":1}}"#, "where.n.$regex and its $options must be strings"),
            (#"{"n":{"$regex":"a","$options":"q"}}"#, "where.n.$regex.$options must consist of"),
            (#"{"n":{"$regex":"("}}"#, "where.n.$regex is not a regular expression"),
            (#"{"n":{"$options":"i"}}"#, "where.n has an option without"),
            (#"{"p":{"$nearSphere":1}}"#, "where.p.$nearSphere must be a GeoPoint"),
            (#"{"p":{"$within":{"$box":[1]}}}"#, "where.p.$within must be"),
            (#"{"p":{"$near":[1]}}"#, "where.p.$near must be a GeoPoint or [longitude,latitude]"),
            (#"{"p":{"$near":[1,"2"]}}"#, "where.p.$near must be a GeoPoint or"),
            (#"{"p":{"$nearSphere":[1,2,3]}}"#, "where.p.$nearSphere must be a GeoPoint or"),
            (#"{"p":{"$within":{"$box":[[0,0],[1]]}}}"#, "where.p.$within must be a GeoPoint or"),
            (#"{"p":{"$geoWithin":{"$box":[[0,0]]}}}"#, "where.p.$geoWithin must be {"),
            (#"{"p":{"$near":[1,2],"$nearSphere":[1,2]}}"#, "where can have one $nearSphere or $near"),
            (#"{"p":{"$inQuery":{}}}"#, "where.p.$inQuery must be an object with className"),
            (#"{"p":{"$inQuery":{"className":"A","where":{"x":{"$y":1}}}}}"#, "where.p.$inQuery.where.x.$y is not"),
            (#"{"p":{"$select":{"key":"a"}}}"#, "where.p.$select must be"),
            (#"{"$relatedTo":{"key":"a"}}"#, "where.$relatedTo must be"),
            (
                #"{"a":{"$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":1},"$maxDistance":-1}}"#,
                "$maxDistance must be"
            ),
            (
                #"{"$or":[{"a":{"$nearSphere":{"__type":"GeoPoint","latitude":1,"longitude":1}}}]}"#,
                "where can have one $nearSphere"
            ),
        ]
    )
    func refusals(text: String, sentence: String) {
        let error = #expect(throws: ServiceError.self) { try parse(text) }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }

    @Test(
        "null in an array of conditions is a query without conditions, as C# and Flutter write it",
        arguments: [
            (#"{"$or":[null,{"a":1}]}"#, #"{"$or":[{},{"a":1}]}"#),
            (#"{"$and":[{"a":1},null]}"#, #"{"$and":[{"a":1},{}]}"#),
            (#"{"$or":[{"$and":[null,null]}]}"#, #"{"$or":[{"$and":[{},{}]}]}"#), ("[null]", "[{}]"),
        ]
    )
    func nullCondition(text: String, expected: String) throws {
        #expect(try parse(text) == parse(expected))
    }

    @Test(
        "values of a wrong form keep their own codes",
        arguments: [
            (#"{"p":{"__type":"Pointer","className":"A"}}"#, ServiceError.Code.malformedPointer),
            (#"{"p":{"__type":"GeoPoint","latitude":91,"longitude":0}}"#, .invalidGeoPoint),
            (#"{"p":{"$near":[0,91]}}"#, .invalidGeoPoint),
            (#"{"p":{"$within":{"$box":[[181,0],[0,0]]}}}"#, .invalidGeoPoint),
            (#"{"p":{"a.b":1}}"#, .invalidInnerKey), (#"{"a b":1}"#, .invalidKey), (#"{"":1}"#, .invalidKey),
            (#"{"p":{"$inQuery":{"className":"9","where":{}}}}"#, .invalidClassName),
            (#"{"p":{"__type":"Date","iso":"yesterday"}}"#, .malformedJSON), (#"{"p":"\u0000"}"#, .malformedJSON),
        ]
    )
    func codes(text: String, code: ServiceError.Code) {
        let error = #expect(throws: ServiceError.self) { try parse(text) }
        #expect(error?.code == code)
    }

    @Test(
        "each limit is named, and what is within it passes",
        arguments: [
            (#"{"$and":[{"$and":[{"a":1}]}]}"#, #"{"$and":[{"$and":[{"$and":[{"a":1}]}]}]}"#, "queries.maxDepth"),
            (#"{"a":1,"b":1,"c":1,"d":1}"#, #"{"a":1,"b":1,"c":1,"d":1,"e":1}"#, "queries.maxConditions"),
            (#"{"$or":[null,null,null]}"#, #"{"$or":[null,null,null,null]}"#, "queries.maxConditions"),
            (
                #"{"a":{"$gt":1,"$lt":2},"b":{"$gt":1,"$lt":2}}"#,
                #"{"a":{"$gt":1,"$lt":2,"$ne":3,"$exists":true,"$size":1}}"#, "queries.maxConditions"
            ),
            (#"{"a":{"$in":[1,2,3]}}"#, #"{"a":{"$in":[1,2,3,4]}}"#, "queries.maxListLength"),
            (
                #"{"a":{"$in":[1,2,3]},"b":{"$all":[1,2]}}"#, #"{"a":{"$in":[1,2,3]},"b":{"$nin":[1,2,3]}}"#,
                "queries.maxValues"
            ),
            (#"{"a":{"$regex":"12345678"}}"#, #"{"a":{"$regex":"123456789"}}"#, "queries.maxPatternLength"),
            (
                #"{"a":{"$regex":"(a){999}"},"b":{"$regex":"(a){999}"}}"#,
                #"{"a":{"$regex":"(a){999}"},"b":{"$regex":"(a){998}"}}"#, "queries.maxPatternMemory"
            ),
            (
                #"{"a":{"$inQuery":{"className":"A","where":{}}}}"#,
                #"{"a":{"$inQuery":{"className":"A","where":{}}},"b":{"$notInQuery":{"className":"A","where":{}}}}"#,
                "queries.maxSubqueries"
            ),
        ]
    )
    func limits(within: String, beyond: String, setting: String) throws {
        let limits = QueryLimits(
            depth: 2,
            conditions: 4,
            listLength: 3,
            values: 5,
            subqueries: 1,
            patternLength: 8,
            patternMemory: 30_000
        )
        _ = try parse(within, limits: limits)
        let error = #expect(throws: ServiceError.self) { try parse(beyond, limits: limits) }
        #expect(error?.message.contains("(\(setting))") == true, "\(error?.message ?? "")")
    }

    @Test("the patterns of all conditions and sub-queries count together, and the error names the one beyond the limit")
    func patternMemory() throws {
        let limits = QueryLimits(patternMemory: 30_000)
        let inner = #"{"className":"A","where":{"b":{"$regex":"(a){998}"}}}"#
        let error = #expect(throws: ServiceError.self) {
            try parse(#"{"a":{"$regex":"(a){999}"},"c":{"$inQuery":\#(inner)}}"#, limits: limits)
        }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.hasPrefix("where.c.$inQuery.where.b.$regex brings the compiled") == true)
        #expect(error?.message.hasSuffix(" bytes; the limit is 30000 (queries.maxPatternMemory).") == true)
    }

    @Test(
        "the default takes as many ordinary patterns as conditions",
        arguments: [
            #"^\QnameN@example.com\E"#, "price: N.*(?:USD|EUR)$",
            #"^N[a-z0-9._%+-]{1,64}@(?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,63}$"#,
        ]
    )
    func ordinaryPatterns(form: String) throws {
        let conditions = (1000..<1999).map { number -> JSONValue in
            ["a": ["$regex": .string(form.replacing("N", with: "\(number)"))]]
        }
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        _ = try parser.parse(["$or": .array(conditions)])
    }

    @Test("a where ten thousand deep is refused, whatever it is made of", arguments: [#"{"$and":["#, #"{"a":"#, "["])
    func deep(opening: String) {
        let text = String(repeating: opening, count: 10_000)
        #expect(throws: ServiceError.self) { try parse(text) }
    }

    @Test("thousands of random texts parse or are refused, and a tree answers for every document")
    func random() throws {
        var generator = SeededGenerator(seed: 1)
        var accepted = 0
        for _ in 0..<5000 {
            let json = RandomJSON.condition(depth: 4, &generator)
            var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
            let condition: Condition
            do {
                condition = try parser.parse(json)
            } catch is ServiceError {
                continue
            }
            accepted += 1
            let now = Timestamp(milliseconds: 0)
            let id = try #require(ObjectID("a"))
            let fields = RandomJSON.object(depth: 3, &generator).objectValue ?? [:]
            let object = StoredObject(id: id, createdAt: now, updatedAt: now, fields: fields)
            do {
                _ = try condition.matches(object) { _, _, _ in false }
            } catch let error as ServiceError {
                // Only what a service replaces before may be left.
                #expect(error.code == .internalFailure || error.code == .badRequest)
            }
        }
        #expect(accepted > 1000, "the generator must make conditions that pass")
    }
}

import Domain
import PCREPatterns
import Testing

/// Which test a database evaluates in which form, and which tests Domain evaluates.
@Suite struct ConditionPlannerTests {
    private static let pointer = #"{"__type":"Pointer","className":"Folder","objectId":"f"}"#
    private static let point = #"{"__type":"GeoPoint","latitude":1.0,"longitude":2.0}"#
    private static let day = #"{"__type":"Date","iso":"2024-01-01T00:00:00.000Z"}"#

    private func forms(
        of where: String,
        objectTests: Int = 64,
        fieldCopies: Int = 8
    ) throws -> String {
        let folder = try ClassName("Folder")
        var schema = ClassSchema(name: try ClassName("Task"))
        for (field, type) in [
            ("n", .number), ("s", .string), ("b", .boolean), ("d", .date), ("p", .pointer(folder)), ("o", .object),
            ("a", .array), ("g", .geoPoint), ("r", .relation(folder)), ("x", .any),
        ] as [(String, FieldType)] {
            schema.fields[field] = FieldDefinition(type)
        }
        schema.indexes = [IndexDefinition(fields: [try FieldPath("o.city")])]
        var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
        let condition = try parser.parse(try JSONValue(parsing: Array(`where`.utf8), field: "where"))
        var planner = ConditionPlanner(
            schema,
            limits: ConditionPlanner.Limits(objectTests: objectTests, fieldCopies: fieldCopies)
        )
        return planner.form(of: condition).short
    }

    @Test(
        "the type of a field decides the form of a test",
        arguments: [
            // One value
            (#"{"n":1}"#, "n ="), (#"{"n":"x"}"#, "false"), (#"{"n":null}"#, "n null"), (#"{"n":{"$ne":1}}"#, "!n ="),
            (#"{"n":{"$gt":1}}"#, "n >"), (#"{"b":{"$lte":true}}"#, "b <="), (#"{"n":{"$gt":"x"}}"#, "false"),
            (#"{"d":{"$lt":\#(day)}}"#, "d <"), (#"{"p":\#(pointer)}"#, "p ="), (#"{"s":\#(pointer)}"#, "false"),
            (#"{"n":{"$in":[1,"x",2]}}"#, "n in 2"), (#"{"n":{"$in":[1,null]}}"#, "n in 1 or null"),
            (#"{"n":{"$nin":["x"]}}"#, "!n in 0"), (#"{"n":{"$exists":true}}"#, "n there"),
            (#"{"n":{"$exists":false}}"#, "n missing"), (#"{"n":{"$all":[1,2]}}"#, "(n = & n =)"),
            (#"{"n":{"$size":1}}"#, "false"), (#"{"s":{"$regex":"x"}}"#, "s ~"), (#"{"n":{"$regex":"x"}}"#, "false"),
            // Built-in fields
            (#"{"objectId":"a"}"#, "objectId ="), (#"{"createdAt":{"$gte":\#(day)}}"#, "createdAt >="),
            (#"{"createdAt":{"$exists":true}}"#, "true"), (#"{"objectId":{"$exists":false}}"#, "false"),
            // Objects, and paths inside fields
            (#"{"o":{"k":1}}"#, "o by field"), (#"{"o":{"$exists":true}}"#, "o there"), (#"{"x":1}"#, "x by field"),
            (#"{"o.city":"x"}"#, "o.city indexed ="), (#"{"o.city":null}"#, "o.city null"),
            (#"{"o.city":{"$gt":1}}"#, "o.city indexed >"), (#"{"o.city":{"$gt":true}}"#, "o.city by field"),
            (#"{"o.city":{"$in":["x"]}}"#, "o.city by field"), (#"{"o.city":{"$exists":false}}"#, "o.city missing"),
            (#"{"o.other":"x"}"#, "o.other by field"), (#"{"a.0":1}"#, "a.0 by field"),
            // Arrays
            (#"{"a":1}"#, "a element ="), (#"{"a":null}"#, "a null element"), (#"{"a":[1]}"#, "a by field"),
            (#"{"a":{"$gt":"x"}}"#, "a element >"), (#"{"a":{"$gt":true}}"#, "a by field"),
            (#"{"a":{"$in":[1,2.5]}}"#, "a element in 2"), (#"{"a":{"$in":[1,"x"]}}"#, "a by field"),
            (#"{"a":{"$in":[true]}}"#, "a by field"), (#"{"a":{"$in":[1,null]}}"#, "a by field"),
            (#"{"a":{"$size":2}}"#, "a length 2"), (#"{"a":{"$regex":"x"}}"#, "a element ~"),
            (#"{"a":{"$all":[1,[2]]}}"#, "(a element = & a by field)"),
            // Points
            (#"{"g":{"$nearSphere":\#(point)}}"#, "g near"),
            (#"{"g":{"$within":{"$box":[\#(point),\#(point)]}}}"#, "g within"), (#"{"g":\#(point)}"#, "g by field"),
            (#"{"n":{"$nearSphere":\#(point)}}"#, "false"),
            // Relations, and fields that no object has
            (#"{"r":{"$exists":false}}"#, "true"), (#"{"r":1}"#, "false"), (#"{"unknown":1}"#, "false"),
            (#"{"unknown":null}"#, "true"), (#"{"unknown":{"$exists":false}}"#, "unknown missing"),
            (#"{"unknown.deep":{"$exists":false}}"#, "true"), (#"{"unknown":{"$ne":1}}"#, "!false"),
            // Trees
            (#"{"$or":[{"n":1},{"s":"x","b":true}]}"#, "(n = | (b = & s =))"), ("{}", "()"),
        ]
    )
    func form(condition: String, expected: String) throws {
        #expect(try forms(of: condition) == expected)
    }

    @Test(
        "a statement reads an object for so many tests and copies a field for so many, and Domain evaluates the rest",
        arguments: [
            // Tests that read the object
            (#"{"$and":[{"n":1},{"n":2},{"n":3},{"n":4}]}"#, "(n = & n = & n = & n by object)"),
            (#"{"$and":[{"n":1},{"objectId":"a"},{"n":2},{"n":3}]}"#, "(n = & objectId = & n = & n =)"),
            (#"{"$and":[{"n":1},{"unknown":1},{"n":2},{"unknown":2}]}"#, "(n = & false & n = & unknown by object)"),
            (#"{"$and":[{"n":1},{"n":2},{"n":3},{"n":{"$ne":4}}]}"#, "(n = & n = & n = & !n by object)"),
            // Tests that copy a field
            (#"{"$and":[{"a":1},{"a":2}]}"#, "(a element = & a by object)"),
            (#"{"$and":[{"o.k":1},{"o.k":2},{"n":1}]}"#, "(o.k by field & o.k by object & n =)"),
            (#"{"$and":[{"s":{"$regex":"x"}},{"s":{"$regex":"y"}}]}"#, "(s ~ & s by object)"),
            (#"{"$and":[{"a":1},{"s":{"$regex":"^\\Qx\\E"}}]}"#, "(a element = & s ~)"),
            (#"{"$and":[{"a":1},{"objectId":{"$regex":"x"}}]}"#, "(a element = & objectId ~)"),
            (#"{"n":{"$all":[1]}}"#, "n ="), (#"{"n":{"$all":[1,2]}}"#, "n by field"),
            // Many alternatives for one path
            (#"{"$or":[{"n":1},{"n":2},{"n":3}]}"#, "(n = | n = | n =)"),
            (#"{"$or":[{"n":1},{"n":2},{"s":{"$gt":"x"}},{"n":3}]}"#, "(n in 3 | s >)"),
        ]
    )
    func limits(condition: String, expected: String) throws {
        #expect(try forms(of: condition, objectTests: 3, fieldCopies: 1) == expected)
    }
}

extension ConditionForm {
    /// The form in a few characters.
    fileprivate var short: String {
        func joined(_ forms: [ConditionForm], _ word: String) -> String {
            forms.count == 1 ? forms[0].short : "(\(forms.map(\.short).joined(separator: word)))"
        }
        return switch self {
        case .constant(let holds): "\(holds)"
        case .all(let forms): joined(forms, " & ")
        case .any(let forms): joined(forms, " | ")
        case .not(let form): "!\(form.short)"
        case .member(let owner, let key): "member \(owner.id) \(key)"
        case .relates(let key, let members): "relates \(key) \(members.count)"
        case .exists(let path, let expected): "\(path) \(expected ? "there" : "missing")"
        case .isNull(let path): "\(path) null"
        case .value(let path, let test): "\(path) \(test.short)"
        case .indexedValue(let path, let test): "\(path) indexed \(test.short)"
        case .element(let path, let test): "\(path) element \(test.short)"
        case .hasNullElement(let path): "\(path) null element"
        case .length(let path, let length): "\(path) length \(length)"
        case .near(let path, _): "\(path) near"
        case .within(let path, _): "\(path) within"
        case .matched(let path, _, let source): "\(path) by \(source)"
        }
    }
}

extension ConditionForm.ValueTest {
    fileprivate var short: String {
        switch self {
        case .equals: "="
        case .compares(let comparison, _, _): comparison.rawValue
        case .isIn(let values, _, let orNull): "in \(values.count)\(orNull ? " or null" : "")"
        case .matches: "~"
        }
    }
}

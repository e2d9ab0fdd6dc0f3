internal import Domain
internal import PCREPatterns
internal import Testing

/// Paths whose names or values are at the edge of what a database compares.
extension ObjectStoreContract {
    static let pathRules: [ContractRule<any ObjectStore>] = [
        ContractRule("an order by a path is that of its own spelling, whichever was used before") { store in
            // Names that are equal by Unicode's rules; the last two have the same bytes outside of ASCII, the Kelvin sign.
            let spellings = ["\u{e9}", "e\u{301}", "K\u{212a}", "\u{212a}K"]
            let objects = try spellings.flatMap { name in
                try [2, 3, 1].map { try object(["o": .object([name: .integer($0), "name": .string(name)])]) }
            }
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["o": FieldDefinition(.object)]))
                for object in objects { try writer.insert(object, into: task) }
            }
            for name in spellings + spellings {
                let query = ObjectQuery(task, order: [SortKey(try FieldPath("o.\(name)"))], page: .all)
                let found = try await store.find(query).compactMap { $0.fields["o"]?.objectValue }
                let own = found.filter { $0["name"]?.isSame(as: .string(name)) == true }
                #expect(own.map { $0[name]?.integerValue } == [1, 2, 3], "\(Array(name.utf8))")
            }
        },
        ContractRule("points of the smallest coordinates are found like those at 0") { store in
            let degrees: [(Double, Double)] = [(.leastNonzeroMagnitude, 10), (1e-170, 1e-170), (0, 0), (30, 20)]
            let points = degrees.map { GeoPoint(latitude: $0, longitude: $1) }
            let objects = try points.enumerated().map { number, point in
                try object(["n": .integer(Int64(number)), "g": point.json])
            }
            try await store.write { writer in
                let fields = ["n": FieldDefinition(.number), "g": FieldDefinition(.geoPoint)]
                try writer.save(ClassSchema(name: task, fields: fields))
                for object in objects { try writer.insert(object, into: task) }
            }
            for (center, ring, expected) in [
                (points[3], [:], [3, 0, 1, 2]), (points[3], ["$maxDistanceInRadians": .number(0.6)], [3, 0]),
                (points[2], [:], [1, 2, 0, 3]), (points[2], ["$maxDistanceInRadians": .integer(0)], [1, 2]),
                (points[1], ["$maxDistanceInRadians": .number(0.2)], [1, 2, 0]),
                (points[0], ["$minDistanceInRadians": .number(1e-9)], [1, 2, 3]),
            ] as [(GeoPoint, [String: JSONValue], [Int64])] {
                var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
                let near = ring.merging(["$nearSphere": center.json]) { $1 }
                let condition = try parser.parse(.object(["g": .object(near)]))
                let found = try await store.find(ObjectQuery(task, where: condition, page: .all))
                #expect(found.compactMap { $0.fields["n"]?.integerValue } == expected, "\(center) \(ring)")
                #expect(try await store.count(condition, in: task) == expected.count)
            }
        },
        ContractRule("points in objects are found beside members of any name that are no points") { store in
            let values: [JSONValue] = [
                .object(["\u{2}": .array([.integer(1), .integer(1)])]), .object(["\u{2}": .string("x")]),
                GeoPoint(latitude: 1, longitude: 1).json,
            ]
            let objects = try values.map { try object(["o": .object(["p": $0])]) }
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["o": FieldDefinition(.object)]))
                for object in objects { try writer.insert(object, into: task) }
            }
            let (south, north) = (GeoPoint(latitude: 0, longitude: 0), GeoPoint(latitude: 2, longitude: 2))
            for test in [
                ["$nearSphere": south.json], ["$nearSphere": south.json, "$maxDistanceInRadians": .integer(1)],
                ["$within": .object(["$box": .array([south.json, north.json])])],
            ] as [[String: JSONValue]] {
                var parser = ConditionParser(limits: QueryLimits(), engine: PCREEngine())
                let condition = try parser.parse(.object(["o.p": .object(test)]))
                let found = try await store.find(ObjectQuery(task, where: condition, page: .all))
                #expect(found == [objects[2]], "\(test)")
            }
        },
        ContractRule("after the largest number the next one is that number again, which rules refuse") { store in
            let object = try object(["n": .integer(.max)])
            try await store.write { writer in
                try writer.save(ClassSchema(name: task, fields: ["n": FieldDefinition(.number)]))
                try writer.insert(object, into: task)
            }
            for _ in 0..<2 { #expect(try await store.nextNumber(of: "n", in: task) == .max) }
        },
    ]
}

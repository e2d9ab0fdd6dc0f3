import Testing

@testable import Storage

@Suite("Whether a move can fill a bucket")
struct BucketTakeoverTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var found: [String]?
        var hasObjects = false
        var schema: String?
        var prepared: String?
        var source: [String] = []
        let expected: BucketTakeover

        init(_ description: String, _ expected: BucketTakeover, _ change: (inout Case) -> Void = { _ in }) {
            testDescription = description
            self.expected = expected
            change(&self)
        }
    }

    private static let folder: [Case] = [
        Case("an empty bucket", .take(["new"])),
        Case("an empty bucket, with PostgreSQL", .take(["s"])) { $0.schema = "s" },
        Case("a run that ended before the bucket had the id", .take(["a"])) { $0.prepared = "a" },
        Case("objects of an unknown owner", .refuse(.bucketWithoutOwner)) { $0.hasObjects = true },
        Case("a bucket that an earlier run has begun to fill", .take(["a"])) {
            ($0.prepared, $0.found) = ("a", ["moving-a"])
        },
        Case("the same, and the objects have moved to PostgreSQL since", .take(["s"])) {
            ($0.schema, $0.prepared, $0.found) = ("s", "a", ["moving-a"])
        },
        Case("the same, cut off after the bucket had the id of the schema", .take(["s"])) {
            ($0.schema, $0.prepared, $0.found) = ("s", "a", ["moving-s"])
        },
        Case("a switch that was cut off before the marker", .take(["a"])) { ($0.prepared, $0.found) = ("a", ["a"]) },
        Case("the same, and the objects have moved to PostgreSQL since", .take(["s"])) {
            ($0.schema, $0.prepared, $0.found) = ("s", "a", ["a"])
        },
        Case("a bucket in use by another storage", .refuse(.bucketOfOtherStorage)) { $0.found = ["b"] },
        Case("a bucket that another storage has begun to fill", .refuse(.bucketOfOtherStorage)) {
            ($0.prepared, $0.found) = ("a", ["moving-b"])
        },
        Case("a bucket in use by other servers of the schema", .refuse(.bucketOfOtherStorage)) {
            ($0.schema, $0.found) = ("s", ["s"])
        },
        Case("an id that only begins like that of a move", .refuse(.bucketOfOtherStorage)) {
            ($0.prepared, $0.found) = ("a", ["moving-ab"])
        },
    ]

    @Test(arguments: folder)
    func ofFolder(_ row: Case) {
        let decision = BucketTakeover.ofFolder(
            found: row.found,
            hasObjects: row.hasObjects,
            schema: row.schema,
            prepared: row.prepared,
            new: "new"
        )
        #expect(decision == row.expected)
    }

    private static let bucket: [Case] = [
        Case("an empty bucket", .take(["a", "s"])) { $0.source = ["a", "s"] },
        Case("objects of an unknown owner", .refuse(.bucketWithoutOwner)) {
            ($0.source, $0.hasObjects) = (["a"], true)
        },
        Case("a bucket that an earlier run has begun to fill", .take(["a"])) {
            ($0.source, $0.found) = (["a"], ["moving-a"])
        },
        Case("the same, and the objects have moved to PostgreSQL since", .take(["a", "s"])) {
            ($0.source, $0.found) = (["a", "s"], ["moving-a"])
        },
        Case("a switch that was cut off between the two", .take(["a"])) {
            ($0.source, $0.found) = (["moving-a"], ["moving-a"])
        },
        Case("a switch that was done", .done) { ($0.source, $0.found) = (["moving-a"], ["a"]) },
        Case("the same bucket under another address", .refuse(.bucketOfOtherStorage)) {
            ($0.source, $0.found) = (["a"], ["a"])
        },
        Case("a bucket in use by another storage", .refuse(.bucketOfOtherStorage)) {
            ($0.source, $0.found) = (["a"], ["b"])
        },
        Case("a bucket that another storage has begun to fill", .refuse(.bucketOfOtherStorage)) {
            ($0.source, $0.found) = (["a"], ["moving-b"])
        },
        Case("a former bucket, from which the blobs came", .take(["a"])) {
            ($0.source, $0.found) = (["a"], ["moving-a"])
        },
    ]

    @Test(arguments: bucket)
    func ofBucket(_ row: Case) {
        let decision = BucketTakeover.ofBucket(found: row.found, hasObjects: row.hasObjects, source: row.source)
        #expect(decision == row.expected)
    }
}

import Domain
import FoundationEssentials
import S3
import Support
import Testing

@testable import S3Backups

/// The contract, with a real store: `S3_ENDPOINT` and the variables below name it.
///
/// `Tests/Conformance/storage/test_s3.py` starts one and runs this suite, so `make test` always does.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["S3_ENDPOINT"] != nil, "no S3_ENDPOINT"))
struct S3BackupTargetTests {
    @Test("a bucket keeps the contract of backup targets", arguments: BackupTargetContract.rules)
    func contract(rule: ContractRule<any BackupTarget>) async throws {
        let target = S3BackupTarget(try client(), prefix: "contract/\(UUID().uuidString)")
        guard S3BackupTargetTests.listsFolders, S3BackupTargetTests.orders.contains(rule.testDescription) else {
            return try await rule.check(target)
        }
        // Such a store cannot keep these rules. It must not seem to.
        let failure = await #expect(throws: BackupTargetFailure.self) { try await rule.check(target) }
        #expect(failure?.reason == .refused && failure?.description.contains("order of their bytes") == true)
    }

    /// Whether the store lists folder by folder (`S3_ORDER=folders`), as SeaweedFS does.
    private static let listsFolders = ProcessInfo.processInfo.environment["S3_ORDER"] == "folders"
    /// The rules with names for which that order is not the one of bytes.
    private static let orders = [
        "a listing has names and sizes in the order of bytes",
        "pages of every size follow each other without gaps",
    ]

    @Test("a large object is stored in parts, and read as it was")
    func parts() async throws {
        try await Samples.withFolder { folder in
            let target = S3BackupTarget(
                try client { options in (options.singlePutSize, options.partSize) = (5 << 20, 5 << 20) },
                prefix: "parts/\(UUID().uuidString)"
            )
            let content = Data((0..<(11 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
            try content.write(to: URL(filePath: "\(folder)/in"))
            #expect(try target.put("a/large", fileAt: "\(folder)/in") == Int64(content.count))
            #expect(try target.list(prefix: "", after: nil, limit: 10).map(\.size) == [Int64(content.count)])
            #expect(try target.get("a/large", toFileAt: "\(folder)/out") == Int64(content.count))
            #expect(try Data(contentsOf: URL(filePath: "\(folder)/out")) == content)
        }
    }

    @Test("wrong keys and unknown buckets are failures of their own")
    func refusals() throws {
        let environment = ProcessInfo.processInfo.environment
        let wrong = S3Credentials(accessKey: environment["S3_ACCESS_KEY"] ?? "", secretKey: "wrong")
        let refused = #expect(throws: BackupTargetFailure.self) {
            try S3BackupTarget(try client(wrong), prefix: "").list(prefix: "", after: nil, limit: 1)
        }
        #expect(refused?.reason == .refused && refused?.description.contains("wrong") == false)
        let unknown = #expect(throws: BackupTargetFailure.self) {
            try S3BackupTarget(try client(bucket: "lcfile-no-such-bucket"), prefix: "").get("a", limit: 1)
        }
        #expect(unknown?.reason == .refused && unknown?.description.contains("does not exist") == true)
    }

    private func client(
        _ credentials: S3Credentials? = nil,
        bucket: String? = nil,
        _ change: (inout S3Options) -> Void = { _ in }
    ) throws -> S3Client {
        let environment = ProcessInfo.processInfo.environment
        var options = S3Options()
        change(&options)
        return S3Client(
            try S3Bucket(
                bucket ?? environment["S3_BUCKET"] ?? "test",
                region: environment["S3_REGION"] ?? "us-east-1",
                endpoint: environment["S3_ENDPOINT"]
            ),
            credentials: credentials
                ?? S3Credentials(
                    accessKey: environment["S3_ACCESS_KEY"] ?? "",
                    secretKey: environment["S3_SECRET_KEY"] ?? ""
                ),
            options: options
        )
    }
}

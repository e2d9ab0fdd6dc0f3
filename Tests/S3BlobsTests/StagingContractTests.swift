import DiskBlobs
import Domain
import NIOPosix
import Support
import Testing

@testable import S3Blobs

@Suite(.enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct StagingContractTests {
    @Test("staged bytes in a bucket keep the contract", arguments: StagingAreaContract.rules)
    func contract(rule: ContractRule<any StagingArea>) async throws {
        try await StagingFixture.withLayout { layout in
            try await rule.check(StagingFixture.area(layout))
        }
    }

    @Test("staged bytes in a bucket keep the contract without memory", arguments: StagingAreaContract.rules)
    func contractWithoutMemory(rule: ContractRule<any StagingArea>) async throws {
        try await StagingFixture.withLayout { layout in
            try await rule.check(StagingFixture.area(layout) { $0.memory = 0 })
        }
    }

    @Test("blobs in a bucket keep the contract with bytes from it", arguments: BlobStoreContract.rules)
    func blobContract(rule: ContractRule<BlobStorage>) async throws {
        try await StagingFixture.withLayout { layout in
            let staging = try StagingFixture.area(layout)
            try await S3Fixture.withStore(layout: layout) { store in
                try await rule.check(BlobStorage(staging: staging, blobs: store))
            }
        }
    }

    @Test("blobs in a bucket keep the contract with segments from it", arguments: BlobStoreContract.rules)
    func segmentContract(rule: ContractRule<BlobStorage>) async throws {
        try await StagingFixture.withLayout { layout in
            let staging = try StagingFixture.area(layout) { $0.memory = 0 }
            try await S3Fixture.withStore(layout: layout) { store in
                try await rule.check(BlobStorage(staging: staging, blobs: store))
            }
        }
    }

    @Test("blobs on the disk keep the contract with bytes from a bucket", arguments: BlobStoreContract.rules)
    func diskContract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { folder in
            let blobs = try DiskBlobStore(folder: folder, pool: .singleton)
            try await StagingFixture.withLayout { layout in
                try await rule.check(BlobStorage(staging: StagingFixture.area(layout), blobs: blobs))
            }
        }
    }

    @Test("encrypted staged bytes keep the contract", arguments: StagingAreaContract.rules, [256 << 20, 0])
    func sealedContract(rule: ContractRule<any StagingArea>, memory: Int) async throws {
        try await StagingFixture.withLayout { layout in
            try await rule.check(StagingFixture.area(layout, encryption: .test) { $0.memory = memory })
        }
    }

    @Test(
        "encrypted blobs keep the contract with encrypted staged bytes",
        arguments: BlobStoreContract.rules,
        [256 << 20, 0]
    )
    func sealedBlobContract(rule: ContractRule<BlobStorage>, memory: Int) async throws {
        try await StagingFixture.withLayout { layout in
            let staging = try StagingFixture.area(layout, encryption: .test) { $0.memory = memory }
            try await S3Fixture.withStore(layout: layout, encryption: .test) { store in
                try await rule.check(BlobStorage(staging: staging, blobs: store))
            }
        }
    }
}

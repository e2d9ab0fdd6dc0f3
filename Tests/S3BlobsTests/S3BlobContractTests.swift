import DiskBlobs
import Domain
import NIOCore
import NIOPosix
import Support
import Testing

@testable import S3Blobs

@Suite(.enabled(if: S3Fixture.isThere, "no S3_ENDPOINT"))
struct S3BlobContractTests {
    @Test(
        "blobs in a bucket keep the contract with bytes from memory",
        arguments: BlobStoreContract.rules + BlobStoreContract.sharedRules
    )
    func contract(rule: ContractRule<BlobStorage>) async throws {
        try await S3Fixture.withStore { store in
            try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: store))
        }
    }

    @Test("blobs in a bucket keep the contract with bytes from the disk", arguments: BlobStoreContract.rules)
    func diskContract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { folder in
            let staging = try DiskStagingArea(folder: folder, pool: .singleton)
            try await S3Fixture.withStore { store in
                try await rule.check(BlobStorage(staging: staging, blobs: store))
            }
        }
    }

    /// The one promise that bytes on another machine cannot keep.
    private static let ofLocalBytes = "a removed blob is gone, but those who have it open still read it"

    @Test(
        "blobs that are read in pieces keep the contract",
        arguments: BlobStoreContract.rules.filter { $0.testDescription != S3BlobContractTests.ofLocalBytes }
    )
    func largeContract(rule: ContractRule<BlobStorage>) async throws {
        try await S3Fixture.withStore(settings: .sizes(whole: -1, piece: 100_003)) { store in
            try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: store))
        }
    }

    @Test(
        "encrypted blobs keep the contract",
        arguments: BlobStoreContract.rules + BlobStoreContract.sharedRules
    )
    func sealedContract(rule: ContractRule<BlobStorage>) async throws {
        try await Samples.withFolder { folder in
            let staging = try DiskStagingArea(folder: folder, pool: .singleton)
            try await S3Fixture.withStore(encryption: .test) { store in
                try await rule.check(BlobStorage(staging: staging, blobs: store))
            }
        }
    }

    @Test(
        "encrypted blobs that are read in pieces keep the contract",
        arguments: BlobStoreContract.rules.filter { $0.testDescription != S3BlobContractTests.ofLocalBytes }
    )
    func largeSealedContract(rule: ContractRule<BlobStorage>) async throws {
        try await S3Fixture.withStore(settings: .sizes(whole: -1, piece: 100_003), encryption: .test) { store in
            try await rule.check(BlobStorage(staging: MemoryStagingArea(), blobs: store))
        }
    }
}

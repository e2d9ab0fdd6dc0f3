import Domain
import NIOCore
import Support
import Testing

@Suite struct MemoryDerivativeStoreTests {
    @Test("derivatives in memory keep the contract", arguments: DerivativeStoreContract.rules)
    func contract(rule: ContractRule<any DerivativeStore>) async throws {
        try await rule.check(MemoryDerivativeStore())
    }

    @Test("the derivatives not used for longest go first when there is no room")
    func bound() async throws {
        let store = MemoryDerivativeStore(bound: 30)
        let names = (0..<4).map { DerivativeName(source: "source", request: "\($0)") }
        for name in names[..<3] {
            try await store.store(ByteBuffer(repeating: 1, count: 10), as: .png, under: name)
        }
        _ = try await store.open(names[0])
        try await store.store(ByteBuffer(repeating: 1, count: 10), as: .png, under: names[3])
        #expect(try await store.open(names[1]) == nil)
        #expect(try await store.open(names[0]) != nil)
        #expect(store.count == 3)
    }
}

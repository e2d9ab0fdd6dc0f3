import Domain
import NIOCore
import NIOPosix
import Testing

@testable import DiskBlobs

/// Which files are kept open, and which are let go.
@Suite struct OpenDerivativesTests {
    private let name = DerivativeName("source", "request")

    /// An open file.
    private func openFile(_ request: String, of store: DiskDerivativeStore) async throws -> DiskOpenDerivative {
        let name = DerivativeName("source", request)
        try await store.store(ByteBuffer(string: request), as: .png, under: name)
        _ = try #require(try await store.open(name))
        return try #require(store.opened.find(name))
    }

    @Test("no more files are kept open than a bound, however many are opened at once", arguments: [0, 1, 2, 3, 10])
    func bound(bound: Int) async throws {
        try await withStore { store, _ in
            let file = try await openFile("request", of: store)
            let opened = OpenDerivatives(bound: bound)
            for number in 0..<1000 { _ = opened.open(DerivativeName("source", "\(number)")) { file } }
            let kept = (0..<1000).filter { opened.find(DerivativeName("source", "\($0)")) != nil }
            #expect((bound / 2...bound).contains(kept.count))
            #expect(kept.last == (bound > 0 ? 999 : nil))
        }
    }

    @Test("whatever the bound, no more than 1024 files are kept open, because each delete looks at all of them")
    func most() async throws {
        try await withStore { store, _ in
            let file = try await openFile("request", of: store)
            let opened = OpenDerivatives(bound: 100_000)
            for number in 0..<1500 { _ = opened.open(DerivativeName("source", "\(number)")) { file } }
            let kept = (0..<1500).filter { opened.find(DerivativeName("source", "\($0)")) != nil }
            #expect((512...1024).contains(kept.count))
        }
    }

    @Test("a store keeps as many files open as it is told, and reads all the others too", arguments: [0, 1, 5])
    func setting(openFiles: Int) async throws {
        try await withStore { _, root in
            let store = try DiskDerivativeStore(
                folder: parent(root),
                bound: 1 << 20,
                openFiles: openFiles,
                pool: .singleton
            )
            await store.space.settled()
            let names = (0..<20).map { DerivativeName("source", "\($0)") }
            for name in names {
                try await store.store(ByteBuffer(string: name.request), as: .png, under: name)
                let blob = try #require(try await store.open(name)).blob
                #expect(try await blob.read(at: 0, count: 10) == ByteBuffer(string: name.request))
            }
            let kept = names.filter { store.opened.find($0) != nil }
            #expect((openFiles / 2...openFiles).contains(kept.count))
            #expect(kept.last == (openFiles > 0 ? names.last : nil))
        }
    }

    @Test("what is opened while others are stored or removed is kept open")
    func othersRemoved() async throws {
        try await withStore { store, _ in
            let file = try await openFile("request", of: store)
            let opened = OpenDerivatives(bound: 10)
            _ = opened.open(name) {
                opened.remove(DerivativeName("source", "other"))
                opened.remove(DerivativeName("other", "request"))
                opened.remove(allOf: "other")
                return file
            }
            #expect(opened.find(name) === file)
        }
    }

    @Test("what is opened while it is removed, or while files may lose their names, is not kept open")
    func removed() async throws {
        try await withStore { store, _ in
            let file = try await openFile("request", of: store)
            let removals: [(OpenDerivatives) -> Void] = [
                { $0.remove(name) }, { $0.remove(allOf: "source") }, { $0.removeUnlinked() },
            ]
            let opened = OpenDerivatives(bound: 10)
            for removal in removals {
                _ = opened.open(name) {
                    removal(opened)
                    return file
                }
                #expect(opened.find(name) == nil)
            }
            _ = opened.open(name) { file }
            #expect(opened.find(name) === file)
        }
    }

    @Test("of two that are opened under one name, the one opened after a removal is kept")
    func openedAfterRemoval() async throws {
        try await withStore { store, _ in
            let (former, new) = (try await openFile("former", of: store), try await openFile("new", of: store))
            let opened = OpenDerivatives(bound: 10)
            _ = opened.open(name) {
                opened.remove(name)
                _ = opened.open(name) { new }
                return former
            }
            #expect(opened.find(name) === new)
        }
    }

    @Test("what is not there or cannot be opened is not kept, and opened later it is")
    func failing() async throws {
        try await withStore { store, _ in
            let file = try await openFile("request", of: store)
            let opened = OpenDerivatives(bound: 10)
            let none = opened.open(name) { nil }
            #expect(none == nil)
            #expect(throws: CancellationError.self) { _ = try opened.open(name) { throw CancellationError() } }
            #expect(opened.find(name) == nil)
            _ = opened.open(name) { file }
            #expect(opened.find(name) === file)
        }
    }

    @Test("a change gives back the files that it takes out, and no others, to be closed after the lock")
    func givenBack() async throws {
        try await withStore { store, _ in
            let (first, second) = (try await openFile("first", of: store), try await openFile("second", of: store))
            var entries = OpenEntries(bound: 2)
            var removed = keep(first, under: "a", in: &entries)
            #expect(removed == [])
            removed = keep(second, under: "a", in: &entries)
            #expect(removed == [ObjectIdentifier(first)], "stored over")
            removed = keep(first, under: "b", in: &entries)
            #expect(removed == [])
            removed = keep(second, under: "c", in: &entries)
            #expect(removed == [ObjectIdentifier(second)], "the one used longest ago, to make room")
            removed = entries.remove(DerivativeName("source", "b")).map { ObjectIdentifier($0) }
            #expect(removed == [ObjectIdentifier(first)])
            removed = entries.remove(DerivativeName("source", "b")).map { ObjectIdentifier($0) }
            #expect(removed == [])
            removed = entries.remove(allOf: "source").map { ObjectIdentifier($0) }
            #expect(removed == [ObjectIdentifier(second)])
        }
    }

    private func keep(
        _ file: DiskOpenDerivative,
        under request: String,
        in entries: inout OpenEntries
    ) -> [ObjectIdentifier] {
        let name = DerivativeName("source", request)
        let epoch = entries.begin(name)
        return entries.end(name, since: epoch, with: file).map { ObjectIdentifier($0) }
    }
}

package import Domain
internal import Glibc
internal import NIOCore
internal import Testing

/// The contract of every ``DerivativeStore`` with a capacity of one megabyte.
package enum DerivativeStoreContract {
    package static let rules: [ContractRule<any DerivativeStore>] = [
        ContractRule("stored bytes come back with their type, whole and in part") { store in
            let bytes = ByteBuffer(bytes: (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
            try await store.store(bytes, as: .webp, under: name())
            let derivative = try #require(try await store.open(name()))
            #expect(derivative.mediaType == .webp)
            #expect(derivative.blob.size == 300_000)
            #expect(try await derivative.blob.read(at: 0, count: 300_000) == bytes)
            #expect(try await derivative.blob.read(at: 99_990, count: 20) == bytes.getSlice(at: 99_990, length: 20))
        },
        ContractRule("nothing is shown behind the end") { store in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name())
            let blob = try #require(try await store.open(name())).blob
            #expect(try await blob.read(at: 0, count: 1000) == ByteBuffer(string: "bytes"))
            #expect(try await blob.read(at: 3, count: 1000) == ByteBuffer(string: "es"))
            for end in [5, 6, 100_000] as [Int64] {
                #expect(try await blob.read(at: end, count: 10).readableBytes == 0)
            }
        },
        ContractRule("a local file begins with the bytes") { store in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name())
            let blob = try #require(try await store.open(name())).blob
            guard case .file(let file) = blob.local else { return }
            var bytes = [UInt8](repeating: 0, count: 5)
            let count = file.withDescriptor { pread($0, &bytes, 5, 0) }
            #expect(count == 5)
            #expect(bytes == Array("bytes".utf8))
        },
        ContractRule("what was not stored is not there") { store in
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name("a", "w/1"))
            #expect(try await store.open(name("a", "w/2")) == nil)
            #expect(try await store.open(name("b", "w/1")) == nil)
        },
        ContractRule("tags are equal for equal bytes and differ for others") { store in
            try await store.store(ByteBuffer(string: "same"), as: .png, under: name("a", "1"))
            try await store.store(ByteBuffer(string: "same"), as: .webp, under: name("b", "2"))
            try await store.store(ByteBuffer(string: "other"), as: .png, under: name("a", "3"))
            let tags = [
                try await store.open(name("a", "1"))?.tag, try await store.open(name("b", "2"))?.tag,
                try await store.open(name("a", "3"))?.tag,
            ].compactMap(\.self)
            #expect(tags.count == 3)
            #expect(tags.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy("0123456789abcdef".contains) })
            #expect(tags[0] == tags[1])
            #expect(tags[0] != tags[2])
            #expect(tags[0] == StoredDerivative.tag(of: ByteBuffer(string: "same")))
        },
        ContractRule("one stored again is the new one, but those who have the former open still read it") { store in
            try await store.store(ByteBuffer(string: "former"), as: .png, under: name())
            let former = try #require(try await store.open(name()))
            try await store.store(ByteBuffer(string: "new one"), as: .webp, under: name())
            let new = try #require(try await store.open(name()))
            #expect(try await new.blob.read(at: 0, count: 100) == ByteBuffer(string: "new one"))
            #expect(new.mediaType == .webp)
            #expect(new.tag != former.tag)
            #expect(try await former.blob.read(at: 0, count: 100) == ByteBuffer(string: "former"))
        },
        ContractRule("a removal takes all of one source and nothing of others") { store in
            for request in ["1", "2", "3"] {
                try await store.store(ByteBuffer(string: request), as: .png, under: name("gone", request))
                try await store.store(ByteBuffer(string: request), as: .png, under: name("kept", request))
            }
            let open = try #require(try await store.open(name("gone", "1")))
            try await store.remove(allOf: "gone")
            for request in ["1", "2", "3"] {
                #expect(try await store.open(name("gone", request)) == nil)
                #expect(try await store.open(name("kept", request)) != nil)
            }
            #expect(try await open.blob.read(at: 0, count: 100) == ByteBuffer(string: "1"))
        },
        ContractRule("to remove what is not there is no error, and it can be stored afterwards") { store in
            try await store.remove(allOf: "source")
            try await store.store(ByteBuffer(string: "bytes"), as: .png, under: name())
            try await store.remove(allOf: "source")
            try await store.remove(allOf: "source")
            try await store.store(ByteBuffer(string: "again"), as: .png, under: name())
            let blob = try #require(try await store.open(name())).blob
            #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "again"))
        },
        ContractRule("any texts are names, and different ones name different derivatives") { store in
            let texts = ["", "a", "a/b", "..", "../../etc", "照片 1.jpg", "\0", String(repeating: "k", count: 5000)]
            let names = texts.flatMap { source in texts.map { name(source, $0) } } + [name("ab", ""), name("", "ab")]
            for (number, name) in names.enumerated() {
                try await store.store(ByteBuffer(string: "\(number)"), as: .png, under: name)
            }
            for (number, name) in names.enumerated() {
                let blob = try #require(try await store.open(name)).blob
                #expect(try await blob.read(at: 0, count: 100) == ByteBuffer(string: "\(number)"))
            }
        },
        ContractRule("an empty derivative is one") { store in
            try await store.store(ByteBuffer(), as: .png, under: name())
            #expect(try await store.open(name())?.blob.size == 0)
        },
        ContractRule("of those stored at once under one name, one is kept whole") { store in
            try await withThrowingTaskGroup { group in
                for number in 0..<32 {
                    group.addTask {
                        let bytes = ByteBuffer(repeating: UInt8(number), count: 10_000 + number)
                        try await store.store(bytes, as: .png, under: name())
                        let seen = try #require(try await store.open(name())).blob
                        try await checkIsWhole(seen)
                    }
                }
                try await group.waitForAll()
            }
            try await checkIsWhole(try #require(try await store.open(name())).blob)
        },
    ]

    private static func name(_ source: String = "source", _ request: String = "imageView2/2/w/200") -> DerivativeName {
        DerivativeName(source: source, request: request)
    }

    /// Checks that a blob is one of those that the rule about concurrent stores creates.
    private static func checkIsWhole(_ blob: any OpenBlob) async throws {
        let bytes = try await blob.read(at: 0, count: 20_000)
        let number = try #require(bytes.readableBytesView.first)
        #expect(bytes == ByteBuffer(repeating: number, count: 10_000 + Int(number)))
    }
}

import Domain
import Foundation
import Support
import Testing

@testable import Storage

@Suite struct LineBucketsTests {
    @Test("buckets give all lines in order, each once, also while more are added")
    func order() async throws {
        try await Samples.withFolder { folder in
            let buckets = LineBuckets(in: folder)
            var generator = SystemRandomNumberGenerator()
            // More than the buffer of a bucket.
            let lines = (0..<5000).map { number -> String in
                let first = number % 3 == 0 ? UInt8(7) : UInt8.random(in: 0...255, using: &generator)
                return "\([first].hexadecimal)\(UInt64.random(in: 0...UInt64.max, using: &generator)) line"
            }
            for line in lines { try buckets.add(line) }
            for line in lines.prefix(2500) { try buckets.add(line) }
            #expect(try LineBuckets.indices.flatMap { try buckets.lines(of: $0) } == Set(lines).sorted())
            try buckets.add("07")
            #expect(try buckets.lines(of: 7).first == "07")
            #expect(throws: ExitError.self) { try buckets.add("xy") }
        }
    }

    @Test(
        "a record comes back from its line",
        arguments: ["a.png", "照片/b c.png", "x/" + String(repeating: "k", count: 1000)]
    )
    func records(key: String) throws {
        let ids = ObjectIDGenerator()
        for digest in [BlobDigest.contentHash("FqmZPjZHBoFquj4lcXhQwmyc0Nid"), .sha256("ab12"), .contentHash("a/b c")] {
            let file = FileEntry(
                id: ids.next(),
                key: try #require(FileKey(key)),
                facts: BlobFacts(size: 12, digest: digest, md5: nil),
                replaced: digest == .sha256("ab12") ? ids.next() : nil
            )
            let line = FileLine.line(of: file)
            #expect(FileLine.file(of: line) == file)
            #expect(line.hasPrefix("\(BackupBlob(of: file)) "))
            #expect(BackupObject.isName(BackupLayout(try #require(AppID("app"))).object(of: file)))
        }
    }

    @Test("lines of every length are read from files", arguments: ["", "\n", "a", "a\n", "a\nb", "\n\na\n"])
    func files(text: String) async throws {
        try await Samples.withFolder { folder in
            let path = "\(folder)/lines"
            let long = String(repeating: "l", count: 200_000)
            for content in [text, text + long + "\n", long + text] {
                try content.write(toFile: path, atomically: false, encoding: .utf8)
                var expected = content.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                if expected.last == "" { expected.removeLast() }
                var lines: [String] = []
                try FileBytes.forEachLine(of: path) { lines.append($0) }
                #expect(lines == expected)
            }
        }
    }
}

import Domain
import HTTPTypes
import NIOCore
import Support
import Testing

@testable import HTTPAPI

/// Tus as its clients see it (docs/uploads.md, section 7).
@Suite struct TusRouteTests {
    private let bytes: HTTPFields = [.contentType: "application/offset+octet-stream"]

    @Test("an upload is made, asked for, filled and finished")
    func life() async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5, [.uploadMetadata: "filename YS50eHQ="])
            let asked = try await client.tus(.head, path)
            #expect(asked.status == .ok)
            #expect(asked.headers[.uploadOffset] == "0")
            #expect(asked.headers[.uploadLength] == "5")
            #expect(asked.headers[.uploadMetadata] == "filename YS50eHQ=")
            #expect(asked.headers[.cacheControl] == "no-store")
            #expect(asked.headers[.uploadExpires] != nil)
            let first = try await client.tus(.patch, path, "he", bytes.merging([.uploadOffset: "0"]))
            #expect(first.status == .noContent)
            #expect(first.headers[.uploadOffset] == "2")
            #expect(first.headers[.fileURL] == nil)
            let second = try await client.tus(.patch, path, "llo", bytes.merging([.uploadOffset: "2"]))
            #expect(second.headers[.uploadOffset] == "5")
            let url = try #require(second.headers[.fileURL])
            let file = try await client.send("GET", url.replacing("https://files.example.com", with: ""), nil, [:])
            #expect(file.text == "hello")
            let id = try #require(second.headers[.objectID])
            let record = try await client.send("GET", "/1.1/files/\(id)").json()
            #expect(record["name"] == .string("a.txt"))
        }
    }

    @Test(
        "a creation that is wrong is refused",
        arguments: [
            ([:], 400), (["Upload-Length": "x"], 400), (["Upload-Length": "-1"], 400),
            (["Upload-Length": "5", "Upload-Defer-Length": "1"], 400), (["Upload-Defer-Length": "2"], 400),
            (["Upload-Length": "1048577"], 413), (["Upload-Length": "5", "Upload-Concat": "whole"], 400),
            (["Upload-Length": "5", "Upload-Concat": "final;/a"], 400), (["Upload-Concat": "final;"], 400),
            (["Upload-Concat": "final;/a"], 400), (["Upload-Length": "5", "Upload-Metadata": "filename !"], 400),
            (["Upload-Length": "5", "Upload-Metadata": "filename Lw=="], 400),
            (["Upload-Length": "5", "Tus-Resumable": "0.2.2"], 412),
        ] as [([String: String], Int)]
    )
    func createRefused(fields: [String: String], status: Int) async throws {
        let server = TestServer()
        try await server.test { client in
            var headers = HTTPFields()
            for (name, value) in fields { headers[.known(name)] = value }
            let response = try await client.tus(.post, "/1.1/uploads", nil, headers)
            #expect(response.status.code == status, "\(response.text)")
            #expect(response.headers[.tusResumable] == "1.0.0")
            #expect(response.headers[.tusVersion] == (status == 412 ? "1.0.0" : nil))
        }
        #expect(server.store.count(of: .upload) == 0)
    }

    @Test(
        "a PATCH that is wrong is refused and keeps nothing",
        arguments: [
            ([:], 400), (["Upload-Offset": "1"], 409), (["Upload-Offset": "x"], 400), (["Upload-Offset": "-1"], 400),
            (["Upload-Offset": "0", "Content-Type": "text/html"], 415),
            (["Upload-Offset": "0", "Upload-Length": "6"], 400),
            (["Upload-Offset": "0", "Upload-Checksum": "sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA="], 460),
            (["Upload-Offset": "0", "Upload-Checksum": "sha1 AA=="], 460),
            (["Upload-Offset": "0", "Upload-Checksum": "sha1 ***"], 460),
            (["Upload-Offset": "0", "Upload-Checksum": "crc32 AAAAAAA="], 460),
            (["Upload-Offset": "0", "Upload-Checksum": "sha512 AA=="], 400),
            (["Upload-Offset": "0", "Upload-Checksum": "sha1"], 400),
            (["Upload-Offset": "0", "Tus-Resumable": "0.2.2"], 412),
        ] as [([String: String], Int)]
    )
    func patchRefused(fields: [String: String], status: Int) async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5)
            var headers = bytes
            for (name, value) in fields { headers[.known(name)] = value }
            let response = try await client.tus(.patch, path, "hello", headers)
            #expect(response.status.code == status, "\(response.text)")
            #expect(response.headers[.uploadOffset] == (status == 409 ? "0" : nil))
            let asked = try await client.tus(.head, path)
            #expect(asked.headers[.uploadOffset] == "0")
        }
    }

    @Test("a 409 tells the offset, also of a finished upload")
    func conflict() async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5)
            for (text, offset, wrong) in [("he", "0", "0"), ("llo", "2", "2")] {
                let sent = try await client.tus(.patch, path, text, bytes.merging([.uploadOffset: offset]))
                let refused = try await client.tus(.patch, path, "x", bytes.merging([.uploadOffset: wrong]))
                #expect(refused.status == .conflict)
                #expect(refused.headers[.uploadOffset] == sent.headers[.uploadOffset])
            }
        }
    }

    @Test(
        "a creation with bytes of another type is 415 and makes no upload",
        arguments: [nil, "application/octet-stream", "text/html", "application/offset+octet-stream2"]
    )
    func creationType(type: String?) async throws {
        let server = TestServer()
        try await server.test { client in
            var headers: HTTPFields = [.uploadLength: "5"]
            headers[.contentType] = type
            let refused = try await client.tus(.post, "/1.1/uploads", "hello", headers)
            #expect(refused.status.code == 415)
        }
        #expect(server.store.count(of: .upload) == 0)
        try await server.test { client in
            // Without bytes the type says nothing.
            var headers = HTTPFields()
            headers[.contentType] = type
            let path = try await client.tus(size: 5, headers)
            let asked = try await client.tus(.head, path)
            #expect(asked.headers[.uploadOffset] == "0")
        }
    }

    @Test("a PATCH beyond the length is 413")
    func tooLong() async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5)
            let response = try await client.tus(.patch, path, "hello!", bytes.merging([.uploadOffset: "0"]))
            #expect(response.status == .contentTooLarge)
        }
    }

    @Test(
        "a PATCH with the right checksum is taken",
        arguments: [
            "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00=", "md5 XUFAKrxLKna5cZ2REBfFkg==", "crc32 NhCmhg==",
            "sha256 LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=",
        ]
    )
    func checksum(text: String) async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5)
            let headers = bytes.merging([.uploadOffset: "0", .uploadChecksum: text])
            let response = try await client.tus(.patch, path, "hello", headers)
            #expect(response.status == .noContent)
        }
    }

    @Test("partial uploads become a file, which takes no bytes of its own")
    func concatenation() async throws {
        try await TestServer().test { [bytes] client in
            var paths: [String] = []
            for text in ["hel", "lo"] {
                let path = try await client.tus(size: text.utf8.count, [.uploadConcat: "partial"])
                _ = try await client.tus(.patch, path, text, bytes.merging([.uploadOffset: "0"]))
                paths.append(path)
            }
            let list = "final;https://api.example.com\(paths[0]) \(paths[1])"
            let created = try await client.tus(.post, "/1.1/uploads", nil, [.uploadConcat: list])
            #expect(created.status == .created)
            let url = try #require(created.headers[.fileURL])
            let file = try await client.send("GET", url.replacing("https://files.example.com", with: ""), nil, [:])
            #expect(file.text == "hello")
            let location = try #require(created.headers[.location])
            let final = location.replacing("https://api.example.com", with: "")
            let asked = try await client.tus(.head, final)
            #expect(asked.headers[.uploadConcat] == list)
            let patched = try await client.tus(.patch, final, "x", bytes.merging([.uploadOffset: "5"]))
            #expect(patched.status == .forbidden)
            for path in paths {
                let gone = try await client.tus(.head, path)
                #expect(gone.status == .notFound)
            }
        }
    }

    @Test("a final upload may be made before its pieces are finished, and is a file with the last of them")
    func unfinishedConcatenation() async throws {
        try await TestServer().test { [bytes] client in
            let pieces = [
                try await client.tus(size: 3, [.uploadConcat: "partial"]),
                try await client.tus(size: 2, [.uploadConcat: "partial"]),
            ]
            let list = "final;\(pieces[0]) \(pieces[1])"
            let created = try await client.tus(.post, "/1.1/uploads", nil, [.uploadConcat: list])
            #expect(created.status == .created)
            #expect(created.headers[.uploadOffset] == nil)
            #expect(created.headers[.uploadExpires] != nil)
            let location = try #require(created.headers[.location])
            let final = location.replacing("https://api.example.com", with: "")
            _ = try await client.tus(.patch, pieces[1], "lo", bytes.merging([.uploadOffset: "0"]))
            let asked = try await client.tus(.head, final)
            #expect(asked.status == .ok)
            #expect(asked.headers[.uploadConcat] == list)
            #expect(asked.headers[.uploadOffset] == nil)
            #expect(asked.headers[.uploadLength] == nil)
            #expect(asked.headers[.uploadDeferLength] == nil)
            #expect(asked.headers[.fileURL] == nil)
            let patched = try await client.tus(.patch, final, "x", bytes.merging([.uploadOffset: "0"]))
            #expect(patched.status == .forbidden)
            _ = try await client.tus(.patch, pieces[0], "hel", bytes.merging([.uploadOffset: "0"]))
            let finished = try await client.tus(.head, final)
            #expect(finished.headers[.uploadOffset] == "5")
            #expect(finished.headers[.uploadLength] == "5")
            let url = try #require(finished.headers[.fileURL])
            let file = try await client.send("GET", url.replacing("https://files.example.com", with: ""), nil, [:])
            #expect(file.text == "hello")
        }
    }

    @Test("the creation of a final upload takes no bytes")
    func finalWithBytes() async throws {
        try await TestServer().test { [bytes] client in
            let piece = try await client.tus(size: 0, [.uploadConcat: "partial"])
            let list: HTTPFields = [.uploadConcat: "final;\(piece)"]
            let sent = try await client.tus(.post, "/1.1/uploads", "hello", bytes.merging(list))
            #expect(sent.status == .forbidden)
            let typed = try await client.tus(.post, "/1.1/uploads", "", bytes.merging(list))
            #expect(typed.status == .created)
        }
    }

    @Test("DELETE of a finished upload deletes its file, for callers who may", arguments: [Who.client, .master])
    func deletesFile(who: Who) async throws {
        let server = TestServer()
        try await server.test { [bytes] client in
            let path = try await client.tus(size: 5)
            let sent = try await client.tus(.patch, path, "hello", bytes.merging([.uploadOffset: "0"]))
            let url = try #require(sent.headers[.fileURL]).replacing("https://files.example.com", with: "")
            let deleted = try await client.tus(.delete, path, nil, who.headers)
            let file = try await client.send("GET", url, nil, [:])
            let asked = try await client.tus(.head, path)
            #expect(deleted.status == (who == .master ? .noContent : .forbidden))
            #expect(file.status == (who == .master ? .notFound : .ok))
            #expect(asked.status == (who == .master ? .notFound : .ok))
        }
        #expect(server.blobs.count == (who == .master ? 0 : 1))
        #expect(server.store.count(of: .upload) == (who == .master ? 0 : 1))
    }

    @Test("an upload that was given up is gone, a finished one is not given up")
    func termination() async throws {
        try await TestServer().test { [bytes] client in
            let path = try await client.tus(size: 5)
            let deleted = try await client.tus(.delete, path)
            let gone = try await client.tus(.head, path)
            let finished = try await client.tus(size: 5)
            _ = try await client.tus(.patch, finished, "hello", bytes.merging([.uploadOffset: "0"]))
            _ = try await client.tus(.delete, finished)
            let kept = try await client.tus(.head, finished)
            #expect(deleted.status == .noContent)
            #expect(gone.status == .notFound)
            #expect(kept.headers[.fileURL] != nil)
        }
    }

    @Test("what the server can do is told before anything else, without credentials")
    func options() async throws {
        try await TestServer().test { client in
            let response = try await client.execute(uri: "/1.1/uploads", method: .options)
            #expect(response.status == .ok)
            #expect(response.headers[.tusVersion] == "1.0.0")
            #expect(response.headers[.tusMaxSize] == "1048576")
            #expect(response.headers[.tusChecksumAlgorithm] == "sha1,md5,sha256,crc32")
            let extensions = response.headers[.tusExtension]?.split(separator: ",").map(String.init) ?? []
            #expect(
                Set(extensions) == [
                    "creation", "creation-with-upload", "creation-defer-length", "checksum", "checksum-trailer",
                    "expiration", "termination", "concatenation", "concatenation-unfinished",
                ]
            )
            let preflight = try await client.execute(
                uri: "/1.1/uploads",
                method: .options,
                headers: [.origin: "https://example.org", .accessControlRequestMethod: "POST"]
            )
            #expect(preflight.status == .ok)
            #expect(preflight.headers[.accessControlAllowOrigin] == "*")
        }
    }
}

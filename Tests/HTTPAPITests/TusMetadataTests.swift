import Domain
import Testing

@testable import HTTPAPI

@Suite struct TusMetadataTests {
    /// The header that says these pairs.
    private func header(_ pairs: [(String, String)]) -> String {
        pairs.map { "\($0) \(Array($1.utf8).base64URL)" }.joined(separator: ",")
    }

    @Test("no header, or an empty one, says nothing", arguments: ["", ",", ",,"])
    func empty(header: String) throws {
        let metadata = try TusMetadata(header)
        let members = try metadata.members
        #expect(members.isEmpty)
        #expect(metadata.key == nil)
    }

    @Test(
        "name and type are known by the names that clients have for them, the first of each counts",
        arguments: [
            [("filename", "a.png"), ("filetype", "image/png")], [("name", "a.png"), ("mime_type", "image/png")],
            [("name", "a.png"), ("type", "image/png")],
            [("name", "b"), ("filename", "a.png"), ("type", "b/b"), ("mime_type", "c/c"), ("filetype", "image/png")],
        ]
    )
    func names(pairs: [(String, String)]) throws {
        let members = try TusMetadata(header(pairs)).members
        #expect(members == ["name": .string("a.png"), "mime_type": .string("image/png")])
    }

    @Test("metaData and ACL are JSON, prefix and key are text, and what else there is does not count")
    func others() throws {
        let metadata = try TusMetadata(
            header([
                ("metaData", #"{"n":1}"#), ("ACL", #"{"*":{"read":true}}"#), ("prefix", "照片"), ("key", "robots.txt"),
                ("relativePath", "null"),
            ])
        )
        let members = try metadata.members
        #expect(Set(members.keys) == ["metaData", "ACL", "prefix"])
        #expect(members["metaData"]?.objectValue == ["n": .integer(1)])
        #expect(members["ACL"]?.objectValue?.keys.first == "*")
        #expect(members["prefix"] == .string("照片"))
        #expect(metadata.key == "robots.txt")
    }

    @Test(
        "keep_file_name says yes alone, with true and with 1",
        arguments: [
            ("keep_file_name", true), ("keep_file_name dHJ1ZQ==", true), ("keep_file_name MQ==", true),
            ("keep_file_name ZmFsc2U=", false), ("keep_file_name MA==", false),
        ]
    )
    func keepsName(header: String, expected: Bool) throws {
        let members = try TusMetadata(header).members
        #expect(members["keep_file_name"] == .bool(expected))
    }

    @Test(
        "Base64 is read in both alphabets, padded or not, with blanks around pairs",
        arguments: [
            "filename fn5-fw==", "filename fn5-fw", "filename fn5+fw==", "filename fn5+fw", " filename  fn5+fw== ",
            "x YQ==, filename fn5+fw==", "x,filename fn5+fw==", "filename fn5+fw==,",
        ]
    )
    func forms(header: String) throws {
        let members = try TusMetadata(header).members
        #expect(members["name"] == .string("~~~\u{7f}"))
    }

    @Test(
        "what is no metadata is refused with a sentence that names the header",
        arguments: [
            "filename YQ== YQ==", "filename YQ==,filename Yg==", "filename !", "filename A", "filename /w==",
            "filename YQ=Y", "a,a",
        ]
    )
    func refused(header: String) {
        let error = #expect(throws: ServiceError.self) { try TusMetadata(header) }
        #expect(error?.code == .badRequest)
        #expect(error?.message.hasPrefix("Upload-Metadata") == true)
    }

    @Test("metaData and ACL that are no JSON are refused by their name", arguments: ["metaData", "ACL"])
    func brokenJSON(name: String) throws {
        let metadata = try TusMetadata(header([(name, "{")]))
        let error = #expect(throws: ServiceError.self) { try metadata.members }
        #expect(error?.code == .malformedJSON)
        #expect(error?.message.contains(name) == true)
    }
}

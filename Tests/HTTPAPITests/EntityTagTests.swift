import Domain
import Testing

@testable import HTTPAPI

@Suite struct EntityTagTests {
    private let tag = EntityTag(strong: "x")

    @Test(
        "a list names a tag in any position",
        arguments: [
            #""x""#, #""a", "x""#, #""x","a""#, #", "x" ,"#, "\"a\"\t,\t\"x\"", #""a,b", "x""#, #"W/"a", "x""#,
            #""a b","x""#, "*",
        ]
    )
    func named(list: String) {
        #expect(tag.isAmong(list, comparison: .weak))
        #expect(tag.isAmong(list, comparison: .strong))
    }

    @Test("a weak tag is equal only in the weak comparison", arguments: [#"W/"x""#, #""a", W/"x""#])
    func weak(list: String) {
        #expect(tag.isAmong(list, comparison: .weak))
        #expect(!tag.isAmong(list, comparison: .strong))
    }

    @Test(
        "other tags, parts of tags and malformed lists name no tag",
        arguments: [
            "", "x", #""y""#, #""xx""#, #""x"#, #"x""#, #"w/"x""#, #"W/ "x""#, #""a,*,b""#, #""x,""#, #""x" "y""#,
            #""x"y"#, #"*, "x""#, #""a", *"#, #"y, "x""#, "\"\"x\"\"",
        ]
    )
    func notNamed(list: String) {
        #expect(!tag.isAmong(list, comparison: .weak))
    }

    @Test("only a SHA-256 is sent as a digest of the representation")
    func digests() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let header = "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:"
        #expect(BlobDigest.sha256(empty).representationDigest == header)
        #expect(BlobDigest.contentHash("Fto5o-5ea0sNMlW_75VgGJCv2AcJ").representationDigest == nil)
    }
}

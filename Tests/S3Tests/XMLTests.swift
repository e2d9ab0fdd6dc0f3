import Testing

@testable import S3

@Suite("The XML of stores")
struct XMLTests {
    private func parse(_ text: String) throws(XMLFault) -> XMLElement {
        try XMLElement(parsing: Array(text.utf8))
    }

    @Test("reads elements, their text and their order")
    func readsElements() throws {
        let root = try parse(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <List xmlns="http://s3.amazonaws.com/doc/2006-03-01/" a='>'><!-- <no/> -->
              <Key> a&amp;b&#x20AC;&#33; </Key><Key><![CDATA[<&>]]></Key><Empty/><s:Size >5</s:Size>
            </List>
            """
        )
        #expect(root.name == "List")
        #expect(root.children.map(\.name) == ["Key", "Key", "Empty", "Size"])
        #expect(root.children.map(\.text) == ["a&b€!", "<&>", "", "5"])
    }

    @Test(
        "refuses what is not well-formed",
        arguments: [
            "", "text", "<a>", "<a><b></a></b>", "</a>", "<a", "<a b>", "<a b=c/>", "<a>&unknown;</a>", "<a>&#0;</a>",
            "<a>&#xD800;</a>", "<a>&#+65;</a>", "<a>&amp</a>", "<a><!-- </a>", "<>x</>",
        ]
    )
    func refusesMalformed(_ text: String) {
        #expect(throws: XMLFault.malformed) { try self.parse(text) }
    }

    @Test("refuses definitions of entities, which can expand to any size")
    func refusesTypes() {
        let bomb = #"<!DOCTYPE a [<!ENTITY b "xx"><!ENTITY c "&b;&b;">]><a>&c;</a>"#
        #expect(throws: XMLFault.declaresType) { try self.parse(bomb) }
        #expect(throws: XMLFault.declaresType) { try self.parse("<a><!DOCTYPE b></a>") }
    }

    @Test("refuses deep and very large documents")
    func refusesLargeDocuments() {
        #expect(throws: XMLFault.tooLarge) { try self.parse(String(repeating: "<a>", count: 100_000)) }
        let flat = "<a>" + String(repeating: "<b/>", count: 200_000) + "</a>"
        #expect(throws: XMLFault.tooLarge) { try self.parse(flat) }
    }

    @Test("escapes what it writes")
    func escapes() throws {
        let text = "a<b>&\"c\"\r\u{1}é"
        #expect(try parse("<a>\(text.xmlEscaped)b</a>").text == "a<b>&\"c\"\réb")
    }
}

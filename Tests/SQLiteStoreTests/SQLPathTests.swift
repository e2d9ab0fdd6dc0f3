import Domain
import Testing

@testable import SQLiteStore

/// Which names can be part of SQL.
@Suite struct SQLPathTests {
    @Test(
        "names with quotes or backslashes are never written, also before a combining mark",
        arguments: ["'", "\"", "\\"]
    )
    func quotes(quote: String) throws {
        for mark in ["", "\u{301}", "\u{200D}"] {
            #expect(try !SQLPath.isWritable(FieldPath("p.x\(quote)\(mark)")))
        }
    }

    @Test("a name that is not ASCII is quoted")
    func quoted() throws {
        #expect(try SQLPath.value(FieldPath("城市")) == #"json_extract(body, '$."城市"')"#)
        #expect(SQLPath.json("城市") == #"body -> '$."城市"'"#)
        #expect(try SQLPath.value(FieldPath("city.name")) == "json_extract(body, '$.city.name')")
    }
}

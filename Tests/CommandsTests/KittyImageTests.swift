import FoundationEssentials
import Support
import Testing

@testable import Commands

@Suite struct KittyImageTests {
    @Test(
        "terminals with Kitty's protocol are known by their variables, and those inside tmux and screen are not",
        arguments: [
            ([:], false), (["TERM": "xterm-256color"], false), (["TERM": "xterm-kitty"], true),
            (["KITTY_WINDOW_ID": "1"], true), (["KITTY_WINDOW_ID": ""], false), (["TERM_PROGRAM": "ghostty"], true),
            (["TERM_PROGRAM": "WezTerm"], true), (["TERM_PROGRAM": "Apple_Terminal"], false),
            (["TERM": "xterm-kitty", "TMUX": "/tmp/tmux"], false), (["KITTY_WINDOW_ID": "1", "STY": "1.pts"], false),
        ]
    )
    func terminals(environment: [String: String], isShown: Bool) {
        #expect(KittyImage.isShown(in: environment) == isShown)
    }

    @Test("an image in one piece is one sequence")
    func small() {
        #expect(KittyImage.sequences(for: [1, 2, 3]) == "\u{1B}_Ga=T,f=100,q=2,m=0;AQID\u{1B}\\")
    }

    @Test("no bytes are no sequence")
    func empty() {
        #expect(KittyImage.sequences(for: []).isEmpty)
    }

    @Test(
        "pieces have 4096 Base64 bytes, the first names the format, all but the last announce more",
        arguments: [3072, 3073, 6144, 10_000]
    )
    func pieces(size: Int) throws {
        let bytes = (0..<size).map { UInt8($0 % 251) }
        let pieces = KittyImage.sequences(for: bytes).components(between: "\u{1B}_G", and: "\u{1B}\\")
        #expect(pieces.count == (size + 3071) / 3072)
        var text = ""
        for (index, piece) in pieces.enumerated() {
            let parts = piece.split(separator: ";")
            try #require(parts.count == 2)
            let keys = (index == 0 ? "a=T,f=100,q=2" : "q=2") + ",m=\(index + 1 < pieces.count ? 1 : 0)"
            #expect(parts[0] == keys)
            #expect(parts[1].utf8.count == 4096 || index + 1 == pieces.count)
            text += parts[1]
        }
        #expect(Data(base64Encoded: text).map(Array.init) == bytes)
    }
}

extension String {
    /// The texts between each beginning and end.
    fileprivate func components(between start: String, and end: String) -> [String] {
        split(separator: end).map { piece in piece.hasPrefix(start) ? String(piece.dropFirst(start.count)) : "?" }
    }
}

import Testing

@testable import HTTPAPI

@Suite struct StreamWindowTests {
    private let piece = 16 << 10

    @Test("a body that no route is known to read gets no larger window")
    func small() {
        var window = StreamWindow()
        for _ in 0..<((StreamWindow.trusted - 1) / piece) { #expect(window.take(piece) == nil) }
    }

    @Test("a body of which half a megabyte was taken gets the large window, once")
    func large() {
        var window = StreamWindow()
        let growths = (0..<(StreamWindow.trusted / piece)).compactMap { _ in window.take(piece) }
        #expect(growths == [StreamWindow.large - StreamWindow.initial])
    }

    @Test("after that the window grows by exactly what was taken")
    func renewal() {
        var window = StreamWindow()
        _ = window.take(StreamWindow.trusted)
        let taken = 10 << 20
        let growth = (0..<(taken / piece)).compactMap { _ in window.take(piece) }.reduce(0, +)
        #expect(growth == taken)
    }
}

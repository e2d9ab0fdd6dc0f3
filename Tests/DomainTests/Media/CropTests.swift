import Support
import Testing

@testable import Domain

private let photo = ImageSize(width: 800, height: 600)

/// What `crop` cuts out (docs/image-options.md, section 3).
@Suite struct CropTests {
    private func rectangle(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> ImageRectangle {
        ImageRectangle(x: x, y: y, size: ImageSize(width: width, height: height))
    }

    @Test(
        "gravity says where",
        arguments: [
            (Gravity.northWest, 0, 0), (.north, 250, 0), (.northEast, 500, 0), (.west, 0, 100), (.center, 250, 100),
            (.east, 500, 100), (.southWest, 0, 200), (.south, 250, 200), (.southEast, 500, 200),
        ]
    )
    func gravity(gravity: Gravity, x: Int, y: Int) {
        #expect(Crop(width: 300, height: 400, gravity: gravity).rectangle(in: photo) == rectangle(x, y, 300, 400))
    }

    @Test("a cut begins at half of the free length, rounded down")
    func half() {
        let cut = Crop(width: 100, height: 100, gravity: .center)
        #expect(cut.rectangle(in: ImageSize(width: 103, height: 101)) == rectangle(1, 0, 100, 100))
    }

    @Test("a missing side is the whole one, and more than there is is what there is")
    func sides() {
        #expect(Crop(width: 300, height: nil).rectangle(in: photo) == rectangle(0, 0, 300, 600))
        #expect(Crop(width: nil, height: 400).rectangle(in: photo) == rectangle(0, 0, 800, 400))
        for gravity in Gravity.allCases {
            let cut = Crop(width: 1_000_000, height: 900, gravity: gravity)
            #expect(cut.rectangle(in: photo) == rectangle(0, 0, 800, 600))
        }
    }

    @Test(
        "offsets move it, and edges cut it",
        arguments: [
            (10, 20, 10, 20, 300, 400), (-10, 20, 0, 20, 290, 400), (10, -20, 10, 0, 300, 380),
            (600, 500, 600, 500, 200, 100), (-299, -399, 0, 0, 1, 1), (799, 599, 799, 599, 1, 1),
        ]
    )
    func offsets(dx: Int, dy: Int, x: Int, y: Int, width: Int, height: Int) {
        let cut = Crop(width: 300, height: 400, dx: dx, dy: dy)
        #expect(cut.rectangle(in: photo) == rectangle(x, y, width, height))
    }

    @Test(
        "nothing is left of a rectangle outside of the image",
        arguments: [(800, 0), (0, 600), (-300, 0), (0, -400), (1_000_000, 1_000_000), (-1_000_000, 0)]
    )
    func outside(dx: Int, dy: Int) {
        #expect(Crop(width: 300, height: 400, dx: dx, dy: dy).rectangle(in: photo) == nil)
    }

    @Test("a rectangle always lies inside the image")
    func inside() {
        var generator = SeededGenerator(seed: 7)
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        for _ in 0..<10_000 {
            let size = ImageSize(width: number(1...50), height: number(1...50))
            let cut = Crop(
                width: number(0...60) == 0 ? nil : number(1...70),
                height: number(0...60) == 0 ? nil : number(1...70),
                dx: number(-60...60),
                dy: number(-60...60),
                gravity: Gravity.allCases[number(0...8)]
            )
            guard let found = cut.rectangle(in: size) else { continue }
            #expect(found.x >= 0 && found.y >= 0 && found.size.width > 0 && found.size.height > 0, "\(cut) in \(size)")
            #expect(found.x + found.size.width <= size.width, "\(cut) in \(size)")
            #expect(found.y + found.size.height <= size.height, "\(cut) in \(size)")
            #expect(found.size.width <= cut.width ?? size.width, "\(cut) in \(size)")
            #expect(found.size.height <= cut.height ?? size.height, "\(cut) in \(size)")
        }
    }
}

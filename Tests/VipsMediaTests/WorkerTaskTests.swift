import Domain
import Testing

@testable import VipsMedia

@Suite struct WorkerTaskTests {
    @Test(
        "a task survives its arguments",
        arguments: [.header, .metadata, .decode(ImageSize(width: 20, height: 1_000_000), .best)] as [WorkerTask.Work],
        ImagePriority.allCases
    )
    func operations(work: WorkerTask.Work, priority: ImagePriority) {
        let task = WorkerTask(work, priority, memory: 512 << 20, seconds: 30, side: 30_000, pixels: 150_000_000)
        #expect(WorkerTask(arguments: task.arguments) == task)
    }

    @Test(
        "other arguments are no task",
        arguments: [
            "", "header", "header low", "header 1 2 3 4", "header low 1 2 3", "header low 1 2 3 0",
            "header low 1 2 3 -4", "draw low 1 2 3 4", "draw 9x9 low 1 2 3 4", "draw 9 fast low 1 2 3 4",
            "draw 0x9 fast low 1 2 3 4", "draw 9x9x9 fast low 1 2 3 4", "draw 9x9 slow low 1 2 3 4",
            "draw 9x9 fast x 1 2 3 4", "draw 9x9 fast 1 2 3 4", "draw 9x9 fast x low 1 2 3 4", "low 1 2 3 4",
            "paint low 1 2 3 4", "header 9x9 low 1 2 3 4", "header low 1 2 3 4 5",
        ]
    )
    func noTask(text: String) {
        #expect(WorkerTask(arguments: text.split(separator: " ").map(String.init)) == nil)
    }

    @Test("a head survives its bytes", arguments: [SourceFormat.svg, .pdf, .jxl, .jp2, .heic, .tiff, .avif])
    func head(format: SourceFormat) {
        let size = ImageSize(width: 70_000, height: 258)
        var head = WorkerHead(format: format, size: size, bands: 4, hasAlpha: true, bits: 16)
        head.orientation = 6
        head.hasProfile = true
        #expect(head.bytes.count == WorkerHead.length)
        #expect(WorkerHead(head.bytes + [1, 2, 3]) == head)
    }

    @Test("a byte that is missing or of another mark makes no head", arguments: 0..<4)
    func noHead(place: Int) {
        let head = WorkerHead(format: .svg, size: ImageSize(width: 1, height: 1), bands: 3, hasAlpha: false, bits: 8)
        var bytes = head.bytes
        #expect(WorkerHead(bytes.dropLast(place + 1)) == nil)
        bytes[place] ^= 1
        #expect(WorkerHead(bytes) == nil)
    }

    @Test("numbers that no worker says make no head", arguments: 1...8)
    func wildNumbers(place: Int) {
        let head = WorkerHead(format: .svg, size: ImageSize(width: 1, height: 1), bands: 3, hasAlpha: false, bits: 8)
        var bytes = head.bytes
        bytes.replaceSubrange(4 * place..<4 * place + 4, with: [0xff, 0xff, 0xff, 0xff])
        #expect(WorkerHead(bytes) == nil)
    }
}

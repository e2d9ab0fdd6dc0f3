import Domain
import FoundationEssentials
import Glibc
import NIOPosix
import Support
import Testing

@testable import VipsMedia

/// On which threads libvips computes, and how nice they are; each case in a process of its own.
@Suite struct LibvipsLoopsTests {
    @Test("a job of normal priority is done by its own thread alone")
    func normal() async {
        await #expect(processExitsWith: .success) {
            let rendering = try Rendering()
            for format in ImageFormat.allCases {
                let chain = "imageMogr2/rotate/30/thumbnail/60x/blur/3x2/format/\(format.rawValue)"
                _ = try await rendering.render(chain, Samples.rocket())
            }
            _exit(LibvipsThread.all.isEmpty ? 0 : 1)
        }
    }

    @Test("a job of normal priority is nobody's who is nice, also after jobs of low priority")
    func normalAfterLow() async {
        await #expect(processExitsWith: .success) {
            let pools = [NIOThreadPool(numberOfThreads: 1), NIOThreadPool(numberOfThreads: 1)]
            for pool in pools { pool.start() }
            let renderer = try VipsRenderer(pool: pools[0], quickPool: pools[1])
            let chain = "imageMogr2/rotate/30/format/png"
            let rendering = Rendering(renderer)
            let own = LibvipsThread.niceness(of: getpid())
            let low = try await rendering.render(chain, Samples.rocket(), with: .low)
            let threads = LibvipsThread.all
            guard !threads.isEmpty, threads.allSatisfy({ $0.niceness >= 10 }) else { _exit(1) }
            let normal = try await rendering.render(chain, Samples.rocket(), with: .normal)
            guard low.bytes == normal.bytes else { _exit(2) }
            let niceness = try await pools[1].runIfActive { LibvipsThread.niceness(of: 0) }
            guard niceness == own, LibvipsThread.all.map(\.id) == threads.map(\.id) else { _exit(3) }
            _exit(0)
        }
    }
}

/// A thread that libvips made.
private struct LibvipsThread {
    let id: CInt
    let niceness: CInt

    /// Those of this process.
    static var all: [LibvipsThread] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return names.compactMap { CInt($0) }.sorted().compactMap { id in
            guard let name = try? Data(contentsOf: URL(filePath: "/proc/self/task/\(id)/comm")),
                String(decoding: name, as: UTF8.self) == "libvips worker\n"
            else { return nil }
            return LibvipsThread(id: id, niceness: niceness(of: id))
        }
    }

    /// That of a thread; 0 names the calling one.
    static func niceness(of id: CInt) -> CInt {
        getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), id_t(id))
    }
}

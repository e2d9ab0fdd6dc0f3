import Domain
import FoundationEssentials
import Glibc
import Testing

@testable import VipsMedia

@Suite struct ConfinementTests {
    @Test("behind the filter there are no sockets, processes, signals to others, changes of files or new code")
    func systemCalls() async {
        await #expect(processExitsWith: .success) {
            try Confinement.limitSystemCalls()
            var refused = true
            func expectRefused(_ name: String, _ call: () -> Int) {
                errno = 0
                if call() == -1, errno == EPERM { return }
                print("not refused: \(name)")
                refused = false
            }
            let path = "/tmp/lcfile-confinement"
            expectRefused("socket") { Int(socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)) }
            expectRefused("socket of files") { Int(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)) }
            expectRefused("socketpair") {
                var pair: [CInt] = [0, 0]
                return Int(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &pair))
            }
            expectRefused("process") {
                var process = pid_t()
                errno = posix_spawn(&process, "/bin/true", nil, nil, [nil], [nil])
                return errno == 0 ? 0 : -1
            }
            expectRefused("execute") { Int(execve("/bin/true", [nil], [nil])) }
            expectRefused("signal") { Int(kill(getppid(), 0)) }
            expectRefused("signals of a descriptor") { Int(fcntl(0, F_SETOWN, getppid())) }
            expectRefused("write a file") { Int(open(path, O_WRONLY)) }
            expectRefused("make a file") { Int(open(path, O_RDONLY | O_CREAT, 0o600)) }
            expectRefused("empty a file") { Int(open(path, O_RDONLY | O_TRUNC)) }
            expectRefused("unlink") { Int(unlink(path)) }
            expectRefused("rename") { Int(rename(path, path)) }
            expectRefused("link") { Int(link(path, path)) }
            expectRefused("symlink") { Int(symlink(path, path)) }
            expectRefused("mkdir") { Int(mkdir(path, 0o700)) }
            expectRefused("chmod") { Int(chmod(path, 0o700)) }
            expectRefused("chown") { Int(chown(path, 0, 0)) }
            expectRefused("truncate") { Int(truncate(path, 0)) }
            expectRefused("setuid") { Int(setuid(getuid())) }
            expectRefused("limits") {
                var limit = rlimit(rlim_cur: 1, rlim_max: 1)
                return Int(setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit))
            }
            let memory = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            expectRefused("code in memory") { Int(mprotect(memory, 4096, PROT_READ | PROT_EXEC)) }
            expectRefused("new code") {
                mmap(nil, 4096, PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? -1 : 0
            }
            guard refused, open("/proc/self/stat", O_RDONLY) >= 0 else { _exit(1) }
            _exit(0)
        }
    }

    @Test("a confined thread still makes threads")
    func threads() async {
        await #expect(processExitsWith: .success) {
            try Confinement.limitSystemCalls()
            var thread = pthread_t()
            guard pthread_create(&thread, nil, { _ in nil }, nil) == 0, pthread_join(thread, nil) == 0 else { _exit(1) }
            _exit(0)
        }
    }

    @Test(
        "where there is Landlock, only libraries, their data and fonts can be read",
        .enabled(if: Confinement.closesFiles)
    )
    func files() async {
        await #expect(processExitsWith: .success) {
            try Confinement.giveUpPrivileges()
            try Confinement.closeFiles()
            for closed in ["/etc/passwd", "/proc/self/environ", "/tmp", "/", "/root", "/home"] {
                guard open(closed, O_RDONLY) == -1, [EACCES, ENOENT].contains(errno) else { _exit(1) }
            }
            for open in ["/usr/lib", "/etc/ld.so.cache", "/etc/fonts/fonts.conf"] {
                guard Glibc.open(open, O_RDONLY) >= 0 else { _exit(2) }
            }
            _exit(0)
        }
    }

    @Test("a process with other threads refuses to be confined, because they would not be")
    func otherThreads() {
        #expect(throws: Confinement.Failure.self) { try Confinement.enter(memory: 1 << 30, seconds: 10) }
    }
}

@Suite struct WorkerTaskTests {
    @Test(
        "a task survives its arguments",
        arguments: [.header, .decode(ImageSize(width: 20, height: 1_000_000), .best)] as [WorkerTask.Work],
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

    @Test("a head survives its bytes", arguments: [SourceFormat.svg, .pdf, .jxl, .jp2, .heic, .tiff])
    func head(format: SourceFormat) {
        let size = ImageSize(width: 70_000, height: 258)
        let head = WorkerHead(format: format, size: size, bands: 4, hasAlpha: true, bits: 16)
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

    @Test("numbers that no worker says make no head", arguments: [1, 2, 3, 4, 5, 6])
    func wildNumbers(place: Int) {
        let head = WorkerHead(format: .svg, size: ImageSize(width: 1, height: 1), bands: 3, hasAlpha: false, bits: 8)
        var bytes = head.bytes
        bytes.replaceSubrange(4 * place..<4 * place + 4, with: [0xff, 0xff, 0xff, 0xff])
        #expect(WorkerHead(bytes) == nil)
    }
}

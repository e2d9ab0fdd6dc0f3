import Confinement
import Glibc
import Testing

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
            try Confinement.closeFiles(except: .librariesAndFonts)
            for closed in ["/etc/passwd", "/proc/self/environ", "/tmp", "/", "/root", "/home"] {
                guard open(closed, O_RDONLY) == -1, [EACCES, ENOENT].contains(errno) else { _exit(1) }
            }
            for open in ["/usr/lib", "/etc/ld.so.cache", "/etc/fonts/fonts.conf"] {
                guard Glibc.open(open, O_RDONLY) >= 0 else { _exit(2) }
            }
            _exit(0)
        }
    }

    @Test("where there is Landlock, it alone closes all files", .enabled(if: Confinement.closesFiles))
    func landlock() async {
        await #expect(processExitsWith: .success) {
            try Confinement.giveUpPrivileges()
            try Confinement.closeFiles(except: .none)
            for closed in ["/etc/passwd", "/usr/lib", "/etc/ld.so.cache", "/proc/self/stat", "/"] {
                guard open(closed, O_RDONLY) == -1, errno == EACCES else { _exit(1) }
            }
            _exit(0)
        }
    }

    @Test("a process that needs no file opens none, also without Landlock, and reads what is open")
    func noFiles() async {
        await #expect(processExitsWith: .success) {
            let file = open("/etc/passwd", O_RDONLY)
            try Confinement.giveUpPrivileges()
            try Confinement.refuseOpening()
            try Confinement.limitSystemCalls()
            for closed in ["/etc/passwd", "/usr/lib", "/etc/ld.so.cache", "/proc/self/stat", "/"] {
                guard open(closed, O_RDONLY) == -1, errno == EPERM, access(closed, F_OK) == -1 else { _exit(1) }
            }
            var (status, byte) = (stat(), UInt8(0))
            guard fstat(file, &status) == 0, read(file, &byte, 1) == 1 else { _exit(2) }
            _exit(0)
        }
    }

    @Test("a process with other threads refuses to be confined, because they would not be")
    func otherThreads() {
        #expect(throws: Confinement.Failure.self) { try Confinement.enter(memory: 1 << 30, seconds: 10, files: .none) }
    }
}

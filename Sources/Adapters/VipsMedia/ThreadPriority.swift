internal import Domain
internal import Glibc

/// Lowers the priority of image threads, so that a request of a microsecond does not wait for an image of a second.
///
/// The niceness of a thread (setpriority(2)) determines its share of the processors beside busy threads of niceness 0:
/// 5 gets a third of theirs, 10 a tenth, 15 a thirtieth.
enum ThreadPriority {
    /// The niceness of threads for jobs of low priority; the process can have a higher one already.
    static let images: CInt = 10
    /// The niceness of worker processes, whose computing time is not known in advance.
    ///
    /// Workers for cheap jobs have 5, so that busy queries do not starve them, and one that is more expensive than its
    /// header says takes a fraction of a processor.
    static func workers(_ priority: ImagePriority) -> CInt {
        switch priority {
        case .normal: 5
        case .low: 15
        }
    }

    /// Raises the niceness of the calling thread; on Linux niceness belongs to a thread, and 0 means the calling one.
    static func lower(to niceness: CInt) {
        // Raising the niceness needs no permission, so the result is ignored.
        _ = setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, niceness)
    }

    /// Whether the calling thread is a thread for jobs of low priority.
    static var isLow: Bool {
        getpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0) >= images
    }
}

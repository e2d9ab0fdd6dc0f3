/// What the settings need of the machine.
struct MachineNeeds: Sendable {
    /// The connections that the settings ask for.
    var connections = 10_000
    /// The connections for which the limit of open files suffices; `nil` if the server does not start with it.
    var possibleConnections: Int?
    /// Why it does not start; empty if it does.
    var refusal = ""
    /// The bytes of memory that the settings allow altogether.
    var memory: Int64 = 0
}

/// Judgements of the machine.
extension MachineFacts {
    /// All findings.
    func findings(_ needs: MachineNeeds) -> [Finding] {
        [descriptors(needs), memory(needs), kernelFinding, filters, landlock, clock].compactMap(\.self)
    }

    private func descriptors(_ needs: MachineNeeds) -> Finding {
        let subject = "limits.openFiles"
        guard let possible = needs.possibleConnections else { return Finding(subject, .problem, needs.refusal) }
        let text = "\(openFiles) open files, enough for \(possible) connections"
        // By default there are as many as the limit allows, so a little less than the most is no news.
        guard possible < needs.connections / 10 * 9 else { return Finding(subject, .ok, text) }
        let more = " of \(needs.connections); raise LimitNOFILE of the service (ulimit -n)"
        return Finding(subject, possible < needs.connections / 4 ? .problem : .note, text + more)
    }

    private func memory(_ needs: MachineNeeds) -> Finding {
        let subject = "limits.memory"
        let limit = min(memory, memoryLimit ?? memory)
        guard limit > 0 else { return Finding(subject, .note, "the kernel does not say how much memory there is") }
        let owner = memoryLimit == nil ? "the machine has" : "the control group allows"
        let text = "\(owner) \(size(limit)), the settings up to \(size(needs.memory))"
        if needs.memory > limit {
            let more =
                ": the kernel can kill the server when it is busy; lower images.memory, images.workers, "
                + "images.workerMemory or http.bodyMemory"
            return Finding(subject, .problem, text + more)
        }
        guard needs.memory <= limit / 5 * 4 else {
            return Finding(subject, .note, "\(text): little is left for the cache of files")
        }
        return Finding(subject, .ok, text)
    }

    private var kernelFinding: Finding { Finding("kernel.release", .ok, kernel.isEmpty ? "unknown" : kernel) }

    private var filters: Finding {
        let subject = "kernel.seccomp"
        guard hasFilters else {
            let text =
                "the kernel refuses seccomp filters, without which image workers do not start: HEIC, AVIF, TIFF, SVG, "
                + "PDF and JPEG XL are not decoded. Use a kernel with CONFIG_SECCOMP_FILTER"
            return Finding(subject, .problem, text)
        }
        return Finding(subject, .ok, "filters of system calls work")
    }

    private var landlock: Finding {
        let subject = "kernel.landlock"
        guard hasLandlock else {
            let text =
                "the kernel has no Landlock: a compromised image worker could read the files of the server's user. "
                + "Linux 5.13 and later have it, if lsm= names it"
            return Finding(subject, .note, text)
        }
        return Finding(subject, .ok, "files are closed to image workers")
    }

    private var clock: Finding {
        let subject = "clock.correction"
        switch isClockCorrected {
        case true: return Finding(subject, .ok, "a time service corrects the clock")
        case false:
            let text =
                "no time service corrects the clock: signed URLs, codes and S3 fail when it is wrong; install chrony or "
                + "systemd-timesyncd (in a container: on its host)"
            return Finding(subject, .note, text)
        case nil: return Finding(subject, .note, "the kernel does not say whether a time service corrects the clock")
        }
    }
}

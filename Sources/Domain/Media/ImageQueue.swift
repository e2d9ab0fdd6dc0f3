/// The jobs of an ``ImageAdmission`` that wait and run, and which of them is next.
///
/// The next job is the one with the lowest rank: its estimated seconds, plus the seconds of work that its app, its
/// address and its file had lately (``ImageShares``), minus a thirtieth of the seconds that it waited. So the shortest
/// expected job goes first, a requester with much work is ranked behind the others, and every job runs in the end.
///
/// The job in front that has no memory yet holds up those behind it, so that none is overtaken for ever by smaller
/// ones; only lanes, whose memory is separate, continue.
struct ImageQueue {
    /// A job that waits.
    struct Job {
        let id: UInt64
        let cost: ImageCost
        let requester: ImageRequester
        /// ``ImagePriority/low`` if it does not count as cheap, even at a low cost.
        let priority: ImagePriority
        let arrival: ContinuousClock.Instant
        let continuation: CheckedContinuation<Start, any Error>
    }

    /// The grant of a job that starts.
    struct Start {
        let id: UInt64
        let isInLane: Bool
        /// What it computes with: a cheap job is as urgent on a worker as in a lane.
        let priority: ImagePriority
    }

    private struct Running {
        let cost: ImageCost
        let requester: ImageRequester
        let began: ContinuousClock.Instant
        var slot: Slot
        /// Whether it must stop, because its lane is needed.
        var isStopped = false
    }

    /// What a running job counts for.
    private enum Slot {
        case worker
        case lane
        /// Was in a lane for longer than it may be, and has the lane's memory still.
        case overrun
    }

    var waiting: [Job] = []
    var shares = ImageShares()
    private let limits: ImageAdmission.Limits
    private var running: [UInt64: Running] = [:]
    private var workers = 0
    private var lanes = 0
    private var overruns = 0
    /// Files whose cheap jobs took much longer than such jobs do, and when: for a while they get no lane.
    private var slow: [ImageShares.Key: ContinuousClock.Instant] = [:]
    /// Bytes that jobs on workers take, and those that took a lane.
    private var memory = 0
    private var laneMemory = 0

    /// For so many seconds of waiting, a job counts as one second shorter.
    private static let ageing = 30.0
    /// What no cheap job takes, even on a machine that is busy with other things.
    private static let slowTime = Duration.seconds(5)
    /// How long a file that was slow gets no lane, and the most such files that are remembered.
    private static let memoryOfSlow = Duration.seconds(600)
    private static let maxSlow = 1024

    init(_ limits: ImageAdmission.Limits) {
        self.limits = limits
    }

    /// Takes the next job that may start out of those that wait, and counts it as running.
    ///
    /// A lane comes first, so that cheap jobs leave the workers to those that can use nothing else.
    mutating func startNext(_ now: ContinuousClock.Instant) -> (Job, Start)? {
        if lanes < limits.lanes, let index = first(now, where: { isCheap($0, now) }),
            laneMemory + waiting[index].cost.memory <= limits.laneMemory
        {
            return start(index, .lane, now)
        }
        if workers < limits.workers, let index = first(now, where: { _ in true }),
            memory + waiting[index].cost.memory <= limits.memory
        {
            return start(index, .worker, now)
        }
        return nil
    }

    /// Frees the lane of a job whose time in it is over, if it can go on beside the lane.
    ///
    /// Otherwise the job must stop, and its file gets no lane for a while.
    ///
    /// - Returns: Whether it must stop.
    mutating func endLaneTime(_ id: UInt64, _ now: ContinuousClock.Instant) -> Bool {
        guard let job = running[id], job.slot == .lane else { return false }
        guard overruns < limits.overruns else {
            running[id]?.isStopped = true
            noteSlow(job.requester, now)
            return true
        }
        running[id]?.slot = .overrun
        lanes -= 1
        overruns += 1
        return false
    }

    /// Counts a job as ended; one that took longer than its estimate is charged the rest.
    ///
    /// - Returns: Whether ``endLaneTime(_:_:)`` stopped it.
    mutating func end(_ id: UInt64, _ now: ContinuousClock.Instant) -> Bool {
        guard let job = running.removeValue(forKey: id) else { return false }
        switch job.slot {
        case .worker:
            workers -= 1
            memory -= job.cost.memory
        case .lane:
            lanes -= 1
            laneMemory -= job.cost.memory
        case .overrun:
            overruns -= 1
            laneMemory -= job.cost.memory
        }
        if job.slot != .worker, now - job.began > ImageQueue.slowTime { noteSlow(job.requester, now) }
        let excess = (now - job.began - job.cost.time) / .seconds(1)
        if excess > 0 { shares.charge(job.requester, excess, now) }
        return job.isStopped
    }

    private mutating func noteSlow(_ requester: ImageRequester, _ now: ContinuousClock.Instant) {
        guard let file = requester.fileKey else { return }
        if slow.count >= ImageQueue.maxSlow { slow = [:] }
        slow[file] = now
    }

    /// Takes a job out that waits; nil if it does not.
    mutating func remove(_ id: UInt64) -> Job? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    /// Takes the job out that would run last, of an app, an address or a file that has more permits than the requester.
    mutating func removeLast(toAdmit requester: ImageRequester, _ now: ContinuousClock.Instant) -> Job? {
        for key in shares.larger(than: requester) {
            let theirs = waiting.indices.filter { waiting[$0].requester.keys.contains(key) }
            if let last = theirs.max(by: { rank(waiting[$0], now) < rank(waiting[$1], now) }) {
                return waiting.remove(at: last)
            }
        }
        return nil
    }

    private mutating func start(_ index: Int, _ slot: Slot, _ now: ContinuousClock.Instant) -> (Job, Start) {
        let job = waiting.remove(at: index)
        let priority: ImagePriority = isCheap(job, now) ? .normal : .low
        running[job.id] = Running(cost: job.cost, requester: job.requester, began: now, slot: slot)
        switch slot {
        case .worker:
            workers += 1
            memory += job.cost.memory
        case .lane, .overrun:
            lanes += 1
            laneMemory += job.cost.memory
        }
        shares.charge(job.requester, job.cost.time / .seconds(1), now)
        return (job, Start(id: job.id, isInLane: slot == .lane, priority: priority))
    }

    /// The job of the lowest rank; of equal ones the one that came first.
    private func first(_ now: ContinuousClock.Instant, where isMeant: (Job) -> Bool) -> Int? {
        var best: (index: Int, rank: Double)?
        for index in waiting.indices where isMeant(waiting[index]) {
            let rank = rank(waiting[index], now)
            if best.map({ rank < $0.rank }) ?? true { best = (index, rank) }
        }
        return best?.index
    }

    private func isCheap(_ job: Job, _ now: ContinuousClock.Instant) -> Bool {
        guard job.priority == .normal, job.cost.time <= limits.cheapTime, job.cost.memory <= limits.laneMemory else {
            return false
        }
        guard !slow.isEmpty, let file = job.requester.fileKey, let then = slow[file] else { return true }
        return now - then > ImageQueue.memoryOfSlow
    }

    private func rank(_ job: Job, _ now: ContinuousClock.Instant) -> Double {
        let waited = (now - job.arrival) / .seconds(1)
        return job.cost.time / .seconds(1) + shares.work(of: job.requester, now) - waited / ImageQueue.ageing
    }
}

/// The waiting and running jobs of an ``ImageAdmission``, and the order in which they run.
///
/// The next job is the one with the lowest rank: its estimated seconds, plus the recent seconds of work of its app, its
/// address and its file (``ImageShares``), minus a thirtieth of the seconds that it has waited. So the shortest
/// expected job goes first, a requester with much work is ranked after the others, and every job runs eventually.
///
/// If the first job does not fit in the memory, the jobs after it wait, so that smaller jobs do not overtake it
/// forever; only lanes, whose memory is separate, continue.
struct ImageQueue {
    /// A waiting job.
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
        /// The priority of its thread; a cheap job has the same priority on a worker as in a lane.
        let priority: ImagePriority
    }

    private struct Running {
        let cost: ImageCost
        let requester: ImageRequester
        let began: ContinuousClock.Instant
        var slot: Slot
        /// Whether it must stop, because another job needs its lane.
        var isStopped = false
    }

    /// The slot of a running job.
    private enum Slot {
        case worker
        case lane
        /// The job exceeded its time in a lane, left the lane and still uses the lanes' memory.
        case overrun
    }

    var waiting: [Job] = []
    var shares = ImageShares()
    private let limits: ImageAdmission.Limits
    private var running: [UInt64: Running] = [:]
    private var workers = 0
    private var lanes = 0
    private var overruns = 0
    /// Files whose cheap jobs took much longer than estimated, and when; they get no lane for a while.
    private var slow: [ImageShares.Key: ContinuousClock.Instant] = [:]
    /// The memory in bytes of jobs on workers; ``laneMemory`` is that of jobs that started in a lane.
    private var memory = 0
    private var laneMemory = 0

    /// The seconds of waiting that lower a job's rank by one second.
    private static let ageing = 30.0
    /// No cheap job takes this long, even on a busy machine.
    private static let slowTime = Duration.seconds(5)
    /// How long a slow file gets no lane, and the maximum number of slow files that are stored.
    private static let memoryOfSlow = Duration.seconds(600)
    private static let maxSlow = 1024

    init(_ limits: ImageAdmission.Limits) {
        self.limits = limits
    }

    /// The memory of the running jobs, in lanes and beside them, in bytes.
    var usedMemory: Int { memory + laneMemory }

    /// Removes the next job that can start from the queue, and counts it as running.
    ///
    /// Lanes are filled first, so that cheap jobs leave the workers to other jobs.
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

    /// Ends the time of a job in its lane, and frees the lane if the job can continue outside it.
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

    /// Records the end of a job; the time beyond its estimate is charged to its requester.
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

    /// Removes a waiting job; returns `nil` if it does not wait.
    mutating func remove(_ id: UInt64) -> Job? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    /// Removes the job that would run last, of an app, an address or a file that has more permits than the requester.
    mutating func removeLast(toAdmit requester: ImageRequester, _ now: ContinuousClock.Instant) -> Job? {
        indexOfLast(toAdmit: requester, now).map { waiting.remove(at: $0) }
    }

    /// The index of the waiting job that would run last of a requester with more permits; `nil` if there is none.
    func indexOfLast(toAdmit requester: ImageRequester, _ now: ContinuousClock.Instant) -> Int? {
        for key in shares.larger(than: requester) {
            let theirs = waiting.indices.filter { waiting[$0].requester.keys.contains(key) }
            if let last = theirs.max(by: { rank(waiting[$0], now) < rank(waiting[$1], now) }) { return last }
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

    /// The index of the matching job with the lowest rank; of equal ranks, the job that arrived first.
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

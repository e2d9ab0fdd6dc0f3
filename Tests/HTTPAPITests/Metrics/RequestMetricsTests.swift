import Domain
import NIOCore
import NIOHTTP1
import Testing

@testable import HTTPAPI

@Suite struct RequestMetricsTests {
    private let metrics = RequestMetrics()

    @Test("every group, method and status has a count of its own")
    func counts() {
        var expected: Set<String> = []
        for group in RequestGroup.allCases {
            for method in RequestMethod.allCases {
                for status in RequestStatus.known + [299] {
                    var request = metrics.begin(group, method)
                    request.status = status
                    metrics.end(request)
                    expected.insert("\(group) \(method) \(status == 299 ? "nil" : "\(status)")")
                }
            }
        }
        let counts = metrics.counts
        #expect(counts.allSatisfy { $0.value == 1 })
        #expect(Set(counts.map { "\($0.group) \($0.method) \($0.status.map { "\($0)" } ?? "nil")" }) == expected)
    }

    @Test("a request whose client left before the response has status 499 and is cut off")
    func cutOff() {
        metrics.end(metrics.begin(.objects, .post), isCutOff: true)
        #expect(metrics.counts.map(\.status) == [499])
        #expect(metrics.cutOff(of: .objects) == 1)
    }

    @Test("a request is in progress until its end")
    func progress() {
        let request = metrics.begin(.files, .get)
        #expect(metrics.inProgress == 1)
        metrics.end(request)
        #expect(metrics.inProgress == 0)
    }

    @Test("the duration is that from the begin to the end")
    func duration() {
        let request = metrics.begin(.files, .get, at: .uptimeNanoseconds(5))
        metrics.end(request, at: .uptimeNanoseconds(5) + .milliseconds(20))
        #expect(metrics.durations(of: .files).sum == 0.02)
    }

    @Test(
        "requests of uploads are counted by their result",
        arguments: [
            (201, false, UploadResult.accepted), (204, true, .cutOff), (413, false, .refused), (599, false, .failed),
        ]
    )
    func uploads(status: Int, isCutOff: Bool, result: UploadResult) {
        var request = metrics.begin(.uploads, .post, .tus)
        request.status = status
        metrics.end(request, isCutOff: isCutOff)
        for other in UploadResult.allCases { #expect(metrics.uploads(.tus, other) == (other == result ? 1 : 0)) }
    }
}

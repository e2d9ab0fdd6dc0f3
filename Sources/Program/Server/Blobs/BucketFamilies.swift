internal import S3
internal import S3Blobs

/// The metrics of blobs in a bucket; none without `blobs.store`.
struct BucketFamilies: Sendable {
    let engine: BlobEngine?
    /// The derivatives of each app that all servers share.
    let derivatives: [SharedDerivatives]

    var all: [MetricFamily] {
        guard let engine else { return [] }
        let (counts, cache) = (engine.client.counts, engine.cache)
        return [
            MetricFamily(
                .counter,
                "lcfile_blob_store_requests_total",
                "Requests to the store of blobs; each attempt counts.",
                counts.all
            ),
            MetricFamily(
                .counter,
                "lcfile_blob_store_failures_total",
                "Requests to the store of blobs that it did not answer or refused; many of them are repeated.",
                counts.failed
            ),
            MetricFamily(
                .counter,
                "lcfile_blob_cache_reads_total",
                "Blobs and pieces of blobs that were read, by where they were: hit for the cache, miss for the store.",
                by: "result",
                [("hit", cache.hits), ("miss", cache.misses)]
            ),
            MetricFamily(.gauge, "lcfile_blob_cache_bytes", "Bytes of blobs in the cache.", cache.size),
            MetricFamily(.gauge, "lcfile_blob_cache_limit_bytes", "Limit of the cache of blobs in bytes.", cache.bound),
            sharedDerivatives,
        ]
    }

    private var sharedDerivatives: MetricFamily {
        MetricFamily(
            .counter,
            "lcfile_blob_store_derivatives_total",
            "Derivatives that the bucket had (read), did not have (absent) and took (stored), and requests that failed.",
            by: "result",
            SharedDerivativeCounts.Result.allCases.map { result in
                (result.rawValue, derivatives.reduce(0) { $0 + $1.counts[result] })
            }
        )
    }
}

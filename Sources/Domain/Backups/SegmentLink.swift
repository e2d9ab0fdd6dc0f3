/// The end of a generation's chain so far: what the next segment must name.
///
/// Each segment names the digest of the one before it, the first that of the base. So a chain that fits has all of its
/// segments, of one generation, in their order.
package struct SegmentLink: Sendable, Equatable {
    /// The number of the last segment; 0 for the base.
    package let number: Int
    /// The digest that the next segment names: of the last segment, or the SHA-256 of the base.
    package let digest: [UInt8]

    /// The link after the base of a generation.
    ///
    /// - Returns: `nil` if the manifest has no digest of the base.
    package init?(base: BackupManifest.Content) {
        guard let digest = [UInt8](hexadecimal: base.sha256), digest.count == SegmentHeader.digestSize else {
            return nil
        }
        number = 0
        self.digest = digest
    }

    /// The link after a segment.
    package init(after segment: SegmentFacts) {
        number = segment.header.number
        digest = segment.digest
    }

    /// The link after a segment in the spool.
    package init(after segment: SealedSegment) {
        number = segment.name.number
        digest = segment.digest
    }

    /// The link after the next segment.
    ///
    /// - Throws: ``SegmentDefect`` if the segment does not follow.
    package func followed(by segment: SegmentFacts) throws(SegmentDefect) -> SegmentLink {
        guard segment.header.number == number + 1 else {
            throw SegmentDefect("has the number \(segment.header.number), not \(number + 1)")
        }
        guard segment.header.previous == digest else {
            throw SegmentDefect(number == 0 ? "does not follow the base" : "does not follow segment \(number)")
        }
        return SegmentLink(after: segment)
    }
}

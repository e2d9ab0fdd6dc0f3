/// Answers for many objects in turn whether the same subjects can read them.
///
/// The objects of a class often have few different ACLs, so it remembers the answers by the text of the ACL. Used by
/// one statement on one thread.
package final class ReadableLists {
    private let subjects: Subjects
    private var known = TextTable()

    /// The limits of what is remembered: a statement can read millions of different ACLs.
    private static let maxCount = 1024
    private static let maxSize = 128 << 10

    /// Creates the answers for the ACL entries of one caller.
    package init(for subjects: Subjects) {
        self.subjects = subjects
    }

    /// Whether an ACL grants one of the subjects read access.
    ///
    /// - Parameter acl: The ACL in stored form, as for ``Subjects/have(_:in:)``.
    /// - Returns: What ``Subjects/have(_:in:)`` returns.
    package func canRead(_ acl: UnsafeBufferPointer<UInt8>) -> Bool {
        if let answer = ReadableLists.answer(for: acl, in: &known) { return answer }
        let answer = subjects.have(.read, in: acl)
        if known.count < ReadableLists.maxCount, known.size + acl.count <= ReadableLists.maxSize {
            known.insert(acl, answer: answer)
        }
        return answer
    }

    /// With exclusive access, so that the table is not retained and released for each row: that took a sixth of a count.
    private static func answer(for acl: UnsafeBufferPointer<UInt8>, in known: inout TextTable) -> Bool? {
        known.answer(for: acl)
    }
}

internal import CPCRE
internal import Domain

/// A compiled expression.
///
/// `@unchecked Sendable`: `init` alone writes the `pcre2_code` and the `pcre2_match_context`, before another thread has
/// them. Each call copies the context, to set its callout, and writes only to that copy and to its own match data
/// (pcre2api, "Multithreading"). They are freed with the last reference, so no match can run at that time.
final class PCREPattern: CompiledPattern, @unchecked Sendable {
    private let code: OpaquePointer
    private let context: OpaquePointer
    private let steps: Int
    let size: Int

    /// Takes ownership of a compiled expression and frees it at the end.
    init(adopting code: OpaquePointer, limits: PCRELimits) throws {
        var size = 0
        let result = pcre2_pattern_info_8(code, UInt32(PCRE2_INFO_SIZE), &size)
        guard result == 0 else {
            pcre2_code_free_8(code)
            throw PCREFailure(code: result)
        }
        guard let context = pcre2_match_context_create_8(nil) else {
            pcre2_code_free_8(code)
            throw PCREFailure(code: PCRE2_ERROR_NOMEMORY)
        }
        pcre2_set_match_limit_8(context, limits.steps)
        pcre2_set_depth_limit_8(context, limits.steps)
        pcre2_set_heap_limit_8(context, limits.memory)
        self.code = code
        self.context = context
        self.size = size
        steps = limits.totalSteps
    }

    deinit {
        pcre2_match_context_free_8(context)
        pcre2_code_free_8(code)
    }

    func isFound(in subject: String, path: String, within budget: QueryBudget?) throws -> Bool {
        guard let data = pcre2_match_data_create_8(1, nil) else { throw PCREFailure(code: PCRE2_ERROR_NOMEMORY) }
        defer { pcre2_match_data_free_8(data) }
        guard let context = pcre2_match_context_copy_8(context) else { throw PCREFailure(code: PCRE2_ERROR_NOMEMORY) }
        defer { pcre2_match_context_free_8(context) }
        var subject = subject
        var work = MatchWork(steps: steps, subject: subject.utf8.count, within: budget)
        let result = withUnsafeMutablePointer(to: &work) { work in
            pcre2_set_callout_8(
                context,
                { block, data in
                    guard let block, let data else { return 0 }
                    return data.assumingMemoryBound(to: MatchWork.self).pointee.step(at: block.pointee.current_position)
                },
                work
            )
            return subject.withUTF8 { bytes in
                // A String is always valid UTF-8.
                pcre2_match_8(code, bytes.baseAddress, bytes.count, 0, PCRE2_NO_UTF_CHECK, data, context)
            }
        }
        if case .budget(let error)? = work.failure { throw error }
        switch result {
        case 0...: return true
        case PCRE2_ERROR_NOMATCH: return false
        case PCRE2_ERROR_MATCHLIMIT, PCRE2_ERROR_DEPTHLIMIT, PCRE2_ERROR_HEAPLIMIT, PCRE2_ERROR_RECURSELOOP,
            PCRE2_ERROR_CALLOUT:
            throw ServiceError(.badRequest, "\(path) takes too many steps on some object; simplify the pattern.")
        default: throw PCREFailure(code: result)
        }
    }
}

/// An error of PCRE2 that no expression or subject should cause.
private struct PCREFailure: Error {
    let code: CInt
}

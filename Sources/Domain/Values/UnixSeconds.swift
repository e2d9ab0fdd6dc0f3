/// A time in signed data: decimal seconds since 1970-01-01 UTC in the one form in which a time has one string.
///
/// With several forms of one number, a signed address would have several valid strings.
struct UnixSeconds {
    /// 0 to 999,999,999,999, so that sums and differences of two values cannot overflow.
    let value: Int64

    /// Parses 1 to 12 digits without a leading zero; `nil` for other strings.
    init?(_ text: some StringProtocol) {
        guard (1...12).contains(text.utf8.count), let value = Int64(text), value >= 0, String(value) == text else {
            return nil
        }
        self.value = value
    }
}

/// A size in the unit in which an operator thinks of it: `512 MB`, `1.5 TB`; units are powers of 1024.
func size(_ bytes: Int64) -> String {
    var value = Double(bytes)
    var unit = "B"
    for next in ["KB", "MB", "GB", "TB"] where value >= 1024 {
        value /= 1024
        unit = next
    }
    return "\(decimal(value)) \(unit)"
}

/// A number with two digits that count, as far as they are behind the point.
func decimal(_ value: Double) -> String {
    guard value < 10 else { return String(Int64(value.rounded())) }
    let places = value >= 1 ? 1 : value >= 0.1 ? 2 : 3
    let factor = places == 1 ? 10.0 : places == 2 ? 100 : 1000
    let whole = Int64((value * factor).rounded())
    var digits = String(whole % Int64(factor))
    digits = String(repeating: "0", count: places - digits.utf8.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(whole / Int64(factor))" + (digits.isEmpty ? "" : ".\(digits)")
}

/// A number and its noun: `1 day`, `2 days`.
func count(_ number: Int64, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
}

internal import Glibc

/// Reads and writes exact numbers of bytes; blocks.
struct Pipe {
    let input: CInt
    let output: CInt

    /// The next bytes of the input; `nil` if it has fewer.
    func read(_ count: Int) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let read = Glibc.read(input, buffer.baseAddress.map { $0 + filled }, count - filled)
                if read < 0, errno == EINTR { continue }
                guard read > 0 else { return }
                filled += read
            }
        }
        return bytes.count == count ? bytes : nil
    }

    /// Writes bytes; returns whether all of them were written.
    func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
            guard count > 0 || errno == EINTR else { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }
}

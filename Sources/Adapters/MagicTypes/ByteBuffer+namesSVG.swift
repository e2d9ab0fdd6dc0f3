internal import Glibc
internal import NIOCore

extension ByteBuffer {
    /// Whether the letters `svg` follow each other in the bytes, in an encoding of one, two or four bytes a letter.
    ///
    /// Every upload is searched, so `memchr` finds the candidates: a loop over the bytes takes as long as half an MD5.
    var namesSVG: Bool {
        withUnsafeReadableBytes { bytes in
            guard let start = bytes.baseAddress else { return false }
            let end = start + bytes.count
            var position = start
            while let found = memchr(position, CInt(UInt8(ascii: "s")), end - position) {
                position = UnsafeRawPointer(found) + 1
                if UnsafeRawBufferPointer(start: position, count: end - position).beginsWithVG { return true }
            }
            return false
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether the first two bytes besides zeros are `vg`.
    fileprivate var beginsWithVG: Bool {
        var letters = lazy.filter { $0 != 0 }.makeIterator()
        return letters.next() == UInt8(ascii: "v") && letters.next() == UInt8(ascii: "g")
    }
}

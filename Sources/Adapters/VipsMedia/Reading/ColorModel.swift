/// The names of Go's image library for colour models, which Qiniu returns.
enum ColorModel {
    /// The name for pixels without a palette, in grey or RGB.
    static func name(isGray: Bool, hasAlpha: Bool, isDeep: Bool) -> String {
        switch (hasAlpha, isGray) {
        case (true, _): isDeep ? "nrgba64" : "nrgba"
        case (false, true): isDeep ? "gray16" : "gray"
        case (false, false): isDeep ? "rgba64" : "rgba"
        }
    }
}

import Domain
import Testing

private let long = String(repeating: "9", count: 10_000)
private let excerpt = String(repeating: "9", count: 40) + "…"
private let operations = "/text/YQ"
private let logo = "image/\("own/logo.png".inBase64)"
private let formats = "jpg, jpeg, png, webp, gif or avif"
private let sizes = "a size such as 200x, x150, 400x300, 400x300!, !50p or 250000@"
private let cuts = "a size such as 300x400, 300x, x400 or !300x400a10a20 with both offsets"
private let gravities = "one of NorthWest, North, NorthEast, West, Center, East, SouthWest, South, SouthEast"
private let limits = "bytes from 1 to 1099511627776, such as 15000, 15k, 2m or $(fsize), perhaps with !"
private let colors = "the Base64 of a CSS colour's name, #RRGGBB or #RGB"
private let form = "'watermark' needs a form, 1 to 4: watermark/2/text/<Base64 for URLs>"

/// Every refusal, in its own words.
@Suite struct ImageRefusalTests {
    private func expectRefusal(_ query: String, _ sentence: String) {
        let error = #expect(throws: ServiceError.self) { try ImageRequest.read(query) }
        #expect(error?.code == .badImageRequest)
        #expect(error?.message == "Bad image request: \(sentence).")
    }

    @Test(
        "chains",
        arguments: [
            ("%", "the query is not valid percent-encoded UTF-8"),
            ("%FF", "the query is not valid percent-encoded UTF-8"),
            ("foo", "unknown operator 'foo'"), ("imageview/2/w/1", "unknown operator 'imageview'"),
            ("/2/w/1", "an operator is missing"), ("|", "an operator is missing"),
            ("imageslim|", "an operator is missing"), (long, "unknown operator '\(excerpt)'"),
            ("a%00%0Ab", "unknown operator 'a  b'"),
            ("stat\u{301}", "'stat\u{301}' is not ASCII; texts and colours are Base64 for URLs"),
            ("a/b|c/d%C3%A9e/f%C3%A9", "'d\u{e9}e' is not ASCII; texts and colours are Base64 for URLs"),
            (
                "imageslim" + String(repeating: "|imageslim", count: 16),
                "the chain has more than 16 operators, the limit (images.maxOperators)"
            ),
            (
                String(repeating: "|", count: 16),
                "the chain has more than 16 operators, the limit (images.maxOperators)"
            ),
            ("imageInfo|imageslim", "'imageInfo' must be the last operator"),
            ("imageInfo|imageInfo", "'imageInfo' must be the last operator"),
            ("exif|imageslim", "'exif' must be the only operator"),
            ("imageslim|exif", "'exif' must be the only operator"),
            ("imageslim|imageAve", "'imageAve' must be the only operator"),
            ("stat|stat", "'stat' must be the only operator"),
            ("imageInfo/1", "unknown parameter '1' in 'imageInfo'"), ("stat//", "an empty parameter in 'stat'"),
            ("imageslim/zlevel", "'zlevel' has no value"), ("imageslim/x/1", "unknown parameter 'x' in 'imageslim'"),
            ("imageslim/zlevel/11", "'zlevel' must be a number from 0 to 10, not '11'"),
            ("imageslim/zlevel/1/zlevel/1", "'zlevel' occurs twice in 'imageslim'"),
        ]
    )
    func chains(query: String, sentence: String) {
        expectRefusal(query, sentence)
    }

    @Test(
        "imageView and imageView2",
        arguments: [
            ("imageView", "'imageView' needs a mode, 1 or 2: imageView/2/w/200"),
            ("imageView/3/w/1", "'imageView' needs a mode, 1 or 2: imageView/2/w/200"),
            ("imageView//w/1", "'imageView' needs a mode, 1 or 2: imageView/2/w/200"),
            ("imageView2/6/w/1", "'imageView2' needs a mode, 0 to 5: imageView2/2/w/200"),
            ("imageView2/02/w/1", "'imageView2' needs a mode, 0 to 5: imageView2/2/w/200"),
            ("imageView2/w/1", "'imageView2' needs a mode, 0 to 5: imageView2/2/w/200"),
            ("imageView/2/w", "'w' has no value"), ("imageView/2/w//h/1", "'w' has no value"),
            ("imageView/2/x/1", "unknown parameter 'x' in 'imageView'"),
            ("imageView/2/W/1", "unknown parameter 'W' in 'imageView'"),
            ("imageView2/2/quality/1", "unknown parameter 'quality' in 'imageView2'"),
            ("imageView2/2//w/1", "an empty parameter in 'imageView2'"),
            ("imageView2/2/w/1//", "an empty parameter in 'imageView2'"),
            ("imageView/2/w/1/w/2", "'w' occurs twice in 'imageView'"),
            ("imageView/2/w/-1", "'w' must be a number from 0 to 9999, not '-1'"),
            ("imageView/2/w/+1", "'w' must be a number from 0 to 9999, not '+1'"),
            ("imageView/2/w/1e3", "'w' must be a number from 0 to 9999, not '1e3'"),
            ("imageView/2/w/NaN", "'w' must be a number from 0 to 9999, not 'NaN'"),
            ("imageView/2/w/0x10", "'w' must be a number from 0 to 9999, not '0x10'"),
            ("imageView/2/w/1.2.3", "'w' must be a number from 0 to 9999, not '1.2.3'"),
            ("imageView/2/w/.", "'w' must be a number from 0 to 9999, not '.'"),
            ("imageView/2/w/%D9%A1", "'\u{661}' is not ASCII; texts and colours are Base64 for URLs"),
            ("imageView/2/w/9999.5", "'w' must be a number from 0 to 9999, not '9999.5'"),
            ("imageView/2/w/9223372036854775808", "'w' must be a number from 0 to 9999, not '9223372036854775808'"),
            ("imageView/2/w/\(long)", "'w' must be a number from 0 to 9999, not '\(excerpt)'"),
            ("imageView/2/w/1/q/0", "'q' must be a number from 1 to 100, not '0'"),
            ("imageView/2/w/1/q/101!", "'q' must be a number from 1 to 100, not '101!'"),
            ("imageView/2/w/1/q/!", "'q' must be a number from 1 to 100, not '!'"),
            ("imageView/2/w/1/format/bmp", "'format' must be \(formats), not 'bmp'"),
            ("imageView2/2/w/1/interlace/2", "'interlace' must be 0 or 1, not '2'"),
            ("imageView2/2/w/1/ignore-error/true", "'ignore-error' must be 0 or 1, not 'true'"),
            ("imageView2/2/w/1/colors/0", "'colors' must be a number from 1 to 256, not '0'"),
            ("imageView2/2/w/1/colors/257", "'colors' must be a number from 1 to 256, not '257'"),
        ]
    )
    func views(query: String, sentence: String) {
        expectRefusal(query, sentence)
    }

    @Test(
        "steps of imageMogr2",
        arguments: [
            ("", "an empty parameter in 'imageMogr2'"), ("Strip", "unknown parameter 'Strip' in 'imageMogr2'"),
            ("thumbnail", "'thumbnail' has no value"), ("auto-orient/1", "unknown parameter '1' in 'imageMogr2'"),
            ("thumbnail/200", "'thumbnail' must be \(sizes), not '200'"),
            ("thumbnail/!", "'thumbnail' must be \(sizes), not '!'"),
            ("thumbnail/50p", "'thumbnail' must be \(sizes), not '50p'"),
            ("thumbnail/9x9r", "'thumbnail' must be \(sizes), not '9x9r'"),
            ("thumbnail/9x9>>", "'thumbnail' must be \(sizes), not '9x9>>'"),
            ("thumbnail/9x9?", "'thumbnail' must be \(sizes), not '9x9?'"),
            ("thumbnail/9X9", "'thumbnail' must be \(sizes), not '9X9'"),
            ("thumbnail/-9x9", "'thumbnail' must be \(sizes), not '-9x9'"),
            ("thumbnail/9x9@", "'thumbnail' must be \(sizes), not '9x9@'"),
            ("thumbnail/9@@", "'thumbnail' must be \(sizes), not '9@@'"),
            ("thumbnail/@", "'thumbnail' must be \(sizes), not '@'"),
            ("thumbnail/!p", "'thumbnail' must be \(sizes), not '!p'"),
            ("thumbnail/!px9p", "'thumbnail' must be \(sizes), not '!px9p'"),
            ("thumbnail/!9px9", "'thumbnail' must be \(sizes), not '!9px9'"),
            ("thumbnail/!9p!", "'thumbnail' must be \(sizes), not '!9p!'"),
            ("thumbnail/1.2.3x", "'thumbnail' must be \(sizes), not '1.2.3x'"),
            ("thumbnail/\(long)x", "'thumbnail' must be \(sizes), not '\(excerpt)'"),
            ("thumbnail/1000001x", "'thumbnail' must be of sides up to 1000000, not '1000001x'"),
            ("thumbnail/9x9999999999!", "'thumbnail' must be of sides up to 1000000, not '9x9999999999!'"),
            ("thumbnail/!1000.1p", "'thumbnail' must be of 0 to 1000 percent, not '!1000.1p'"),
            ("thumbnail/0@", "'thumbnail' must be of 1 to 1000000000000 pixels, not '0@'"),
            (
                "thumbnail/1000000000001@",
                "'thumbnail' must be of 1 to 1000000000000 pixels, not '1000000000001@'"
            ),
            ("crop/300", "'crop' must be \(cuts), not '300'"), ("crop/!9x9a1", "'crop' must be \(cuts), not '!9x9a1'"),
            ("crop/9x9a1a1", "'crop' must be \(cuts), not '9x9a1a1'"),
            ("crop/!9x9a1a1a1", "'crop' must be \(cuts), not '!9x9a1a1a1'"),
            ("crop/!9x9a-1a1", "'crop' must be \(cuts), not '!9x9a-1a1'"),
            ("crop/!9x9p1p1", "'crop' must be \(cuts), not '!9x9p1p1'"),
            ("crop/1000001x", "'crop' must be of sides up to 1000000, not '1000001x'"),
            ("crop/!9x9-1000001a0", "'crop' must be of offsets up to 1000000, not '!9x9-1000001a0'"),
            ("gravity/north", "'gravity' must be \(gravities), not 'north'"),
            ("rotate/0", "'rotate' must be a number from 1 to 360, not '0'"),
            ("rotate/-90", "'rotate' must be a number from 1 to 360, not '-90'"),
            ("rotate/361", "'rotate' must be a number from 1 to 360, not '361'"),
            ("blur/3", "'blur' must be <radius 1 to 50>x<sigma 0 to 50>, not '3'"),
            ("blur/0x1", "'blur' must be <radius 1 to 50>x<sigma 0 to 50>, not '0x1'"),
            ("blur/51x1", "'blur' must be <radius 1 to 50>x<sigma 0 to 50>, not '51x1'"),
            ("blur/1x50.1", "'blur' must be <radius 1 to 50>x<sigma 0 to 50>, not '1x50.1'"),
            ("sharpen/2", "'sharpen' must be 0 or 1, not '2'"),
            (
                String(repeating: "rotate/360/", count: 33), "'imageMogr2' has more than 32 steps, the limit"
            ),
        ]
    )
    func steps(query: String, sentence: String) {
        expectRefusal("imageMogr2/\(query)/", sentence)
    }

    @Test(
        "parameters of imageMogr2",
        arguments: [
            ("strip/strip", "'strip' occurs twice in 'imageMogr2'"),
            ("q/9/quality/9", "'quality' occurs twice in 'imageMogr2'"),
            ("quality/101", "'quality' must be a number from 1 to 100, not '101'"),
            ("format/heic", "'format' must be \(formats), not 'heic'"),
            ("background/white", "'background' must be UTF-8 in Base64 for URLs, not 'white'"),
            ("background/_w", "'background' must be UTF-8 in Base64 for URLs, not '_w'"),
            ("background/a=b=", "'background' must be UTF-8 in Base64 for URLs, not 'a=b='"),
            ("background/%F0%9F%90%B6", "'🐶' is not ASCII; texts and colours are Base64 for URLs"),
            ("background/\("ffffff".inBase64)", "'background' must be \(colors), not of 'ffffff'"),
            ("background/\("#ffff".inBase64)", "'background' must be \(colors), not of '#ffff'"),
            ("background/\("#ggg".inBase64)", "'background' must be \(colors), not of '#ggg'"),
            ("background/\("blac\u{212a}".inBase64)", "'background' must be \(colors), not of 'blac\u{212a}'"),
            ("background/\("transparent".inBase64)", "'background' must be \(colors), not of 'transparent'"),
            ("background/==", "'background' must be \(colors), not of ''"),
            ("size-limit/0", "'size-limit' must be \(limits), not '0'"),
            ("size-limit/k", "'size-limit' must be \(limits), not 'k'"),
            ("size-limit/!", "'size-limit' must be \(limits), not '!'"),
            ("size-limit/2g", "'size-limit' must be \(limits), not '2g'"),
            ("size-limit/2km", "'size-limit' must be \(limits), not '2km'"),
            ("size-limit/1048577m", "'size-limit' must be \(limits), not '1048577m'"),
            ("size-limit/\(long)m", "'size-limit' must be \(limits), not '\(excerpt)'"),
            ("size-limit/$(size)", "'size-limit' must be \(limits), not '$(size)'"),
        ]
    )
    func parameters(query: String, sentence: String) {
        expectRefusal("imageMogr2/\(query)", sentence)
    }

    @Test(
        "watermarks",
        arguments: [
            ("", form), ("0\(operations)", form), ("5\(operations)", form), ("text/YQ", form),
            ("1", "'watermark/1' needs an image"), ("2/fontsize/9", "'watermark/2' needs a text"),
            ("3", "'watermark/3' needs an image or a text"), ("4/uw/1", "'watermark/4' needs a text"),
            ("1\(operations)", "'text' is not a parameter of an image"),
            ("2/\(logo)", "'image' is not a parameter of a text"),
            ("4\(operations)/gravity/East", "'gravity' is not a parameter of the tiles of 'watermark/4'"),
            ("4/\(logo)", "'image' is not a parameter of the tiles of 'watermark/4'"),
            ("2\(operations)/ws/1", "'ws' is not a parameter of a text"),
            ("3\(operations)/uw/1", "'uw' is not a parameter of a text"),
            ("2\(operations)\(operations)", "'text' occurs twice in 'watermark'"),
            ("1/\(logo)/\(logo)", "'image' occurs twice in 'watermark'"),
            ("2\(operations)/bold/1", "unknown parameter 'bold' in 'watermark'"),
            ("2\(operations)/ignore-error/1", "unknown parameter 'ignore-error' in 'watermark'"),
            ("3/dx/1\(operations)", "'dx' must follow an image or text of 'watermark/3'"),
            ("3\(operations)/dx/1/dx/2", "'dx' occurs twice in one mark of 'watermark/3'"),
            ("3" + String(repeating: operations, count: 17), "'watermark/3' has more than 16 marks, the limit"),
            ("2/text/", "'text' has no value"), ("2/text/a", "'text' must be UTF-8 in Base64 for URLs, not 'a'"),
            ("2/text/_w", "'text' must be UTF-8 in Base64 for URLs, not '_w'"),
            ("2/text/==", "'text' must not consist of spaces only"),
            ("2/text/\("\r\n \u{3000}".inBase64)", "'text' must not consist of spaces only"),
            (
                "2/text/\(String(repeating: "a", count: 1001).inBase64)",
                "'text' has more than 1000 characters, the limit (images.maxTextLength)"
            ),
            (
                "2\(operations)/font/\("a\u{0}".inBase64)",
                "'font' must be the Base64 of a font family's name, up to 100 characters"
            ),
            (
                "2\(operations)/font/\(String(repeating: "a", count: 101).inBase64)",
                "'font' must be the Base64 of a font family's name, up to 100 characters"
            ),
            ("2\(operations)/fontsize/20001", "'fontsize' must be a number from 0 to 20000, not '20001'"),
            ("2\(operations)/fill/\("off".inBase64)", "'fill' must be \(colors), not of 'off'"),
            ("2\(operations)/dissolve/0", "'dissolve' must be a number from 1 to 100, not '0'"),
            ("2\(operations)/gravity/Middle", "'gravity' must be \(gravities), not 'Middle'"),
            ("2\(operations)/dx/1000001", "'dx' must be a number from -1000000 to 1000000, not '1000001'"),
            ("2\(operations)/dy/-1000001", "'dy' must be a number from -1000000 to 1000000, not '-1000001'"),
            ("2\(operations)/dy/--1", "'dy' must be a number from -1000000 to 1000000, not '--1'"),
            ("2\(operations)/dy/-", "'dy' must be a number from -1000000 to 1000000, not '-'"),
            ("1/\(logo)/ws/0", "'ws' must be a number above 0, to 1, not '0'"),
            ("1/\(logo)/ws/1.1", "'ws' must be a number above 0, to 1, not '1.1'"),
            ("1/\(logo)/wst/4", "'wst' must be a number from 0 to 3, not '4'"),
            ("4\(operations)/rotate/361", "'rotate' must be a number from 0 to 360, not '361'"),
            ("4\(operations)/uw/1001", "'uw' must be a number from 0 to 1000, not '1001'"),
            ("4\(operations)/uh/-1", "'uh' must be a number from 0 to 1000, not '-1'"),
            (
                "1/image/\("http://169.254.169.254/".inBase64)",
                "'image' must be the Base64 of a file of this app, as its URL, kodo://<bucket>/<key> or its key, "
                    + "not of 'http://169.254.169.254/'"
            ),
            ("1/image/%21", "'image' must be UTF-8 in Base64 for URLs, not '!'"),
        ]
    )
    func watermarks(query: String, sentence: String) {
        expectRefusal("watermark/\(query)", sentence)
    }
}

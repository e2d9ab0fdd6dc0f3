package import Domain

/// One app's services and the address its files are served under; built by Server.
package struct AppServices: Sendable {
    /// The app.
    package let id: AppID
    /// Takes bytes in.
    package let uploads: UploadService
    /// Reads, lists, deletes and opens.
    package let files: FileService
    /// Makes derivatives.
    package let images: ImageService
    /// The base of file URLs, without a slash at its end.
    package let publicURL: String

    /// Takes services that Server built.
    package init(id: AppID, uploads: UploadService, files: FileService, images: ImageService, publicURL: String) {
        self.id = id
        self.uploads = uploads
        self.files = files
        self.images = images
        self.publicURL = publicURL
    }
}

/// Limits of the wire itself, each a setting.
package struct WireLimits: Sendable {
    /// The most bytes of a JSON request body.
    package var jsonSize: Int
    /// The most bytes of one form field that is not a file.
    package var fieldSize: Int
    /// The most parts of a form, files and fields together.
    package var formParts: Int

    /// Takes every limit; the defaults are those of the settings.
    package init(jsonSize: Int = 20 << 20, fieldSize: Int = 128 << 10, formParts: Int = 100) {
        self.jsonSize = jsonSize
        self.fieldSize = fieldSize
        self.formParts = formParts
    }
}

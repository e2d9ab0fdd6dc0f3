import Domain
import NIOCore
import Support

extension CensorService {
    /// Censorship of an app of the tests, with a classifier that passes every image, and without a webhook.
    static func fixture(
        _ id: AppID,
        _ store: MemoryObjectStore,
        _ files: FileService,
        _ images: ImageService,
        _ remoteImages: RemoteImages,
        _ presentation: FilePresentation
    ) -> CensorService {
        let known = KnownImages()
        let classifier = FixedClassifier(score: 0.1)
        let checks = FileChecks(
            files: files,
            images: images,
            remoteImages: remoteImages,
            checkers: [KnownImageChecker(store: store, known: known), ClassifierChecker(classifier)],
            limits: CheckLimits()
        )
        let queue = CensorQueue(app: id, store: store, checks: checks, policy: files.policy, limits: CheckLimits())
        let address = PreviewAddress(app: id, masterKey: Secret("master-key"))
        return CensorService(
            queue: queue,
            classifier: classifier,
            known: known,
            previews: Previews(base: "https://api.example.com", address: address),
            presentation: presentation,
            webhookSecret: Secret("0123456789abcdef")
        )
    }
}

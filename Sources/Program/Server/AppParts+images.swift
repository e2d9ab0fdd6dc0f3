internal import Domain

/// The services of one app that work on images: rendering them, and checking what they show.
extension AppParts {
    var images: ImageService {
        ImageService(
            settings: configuration.images,
            names: app.images,
            app: app.id,
            files: files,
            renderer: shared.images.renderer,
            admission: shared.images.admission,
            served: shared.images.served,
            derivatives: derivatives,
            scratch: scratch
        )
    }

    var remoteImages: RemoteImages {
        RemoteImages(
            fetchers: shared.fetchers,
            derivatives: derivatives,
            types: shared.types,
            limit: configuration.images.limits.sourceSize,
            memory: shared.images.fetched,
            requestLimits: shared.requestLimits
        )
    }

    func censorship(_ images: ImageService) -> CensorService {
        let known = KnownImages()
        let previews = Previews(
            base: configuration.fileURLBase,
            address: PreviewAddress(app: app.id, masterKey: app.keys.masterKey)
        )
        let checks = FileChecks(
            files: files,
            images: images,
            remoteImages: remoteImages,
            checkers: shared.censorship.checkers(of: app.id, store: store, known: known, previews: previews),
            limits: configuration.censorship.limits
        )
        let queue = CensorQueue(
            app: app.id,
            store: store,
            checks: checks,
            policy: policy,
            purge: shared.censorship.purge(of: app.id, settings.files),
            limits: configuration.censorship.limits,
            logger: shared.logger
        )
        return CensorService(
            queue: queue,
            classifier: shared.censorship.classifier,
            known: known,
            previews: previews,
            presentation: settings.files,
            webhookSecret: shared.censorship.webhook?.settings.secret
        )
    }
}

extension LiveRegistry {
    /// Removes the subscriptions of a node whose evaluation takes too much, and refuses them for
    /// ``LiveQueryLimits/lifetime`` seconds: otherwise their clients would subscribe again at once, and at the same cost.
    ///
    /// The clients are not told; send them away after it.
    ///
    /// - Returns: The removed subscriptions.
    func refuse(_ node: LiveNode) -> [LiveSubscription] {
        let end = clock() + .seconds(limits.lifetime)
        return withState { state in
            let removed = state.classes[node.className]?.subscriptions(of: node) ?? []
            for subscription in removed {
                state.refused.store(end, for: subscription.id)
                state.remove(subscription)
                state.removeIfUnused(subscription.installation)
            }
            return removed
        }
    }

    /// Removes a subscription that another server has refused.
    ///
    /// - Returns: Its installation; `nil` if the subscription is not in memory.
    func drop(_ id: LiveQueryID) -> InstallationID? {
        withState { state in
            guard let subscription = state.subscriptions[id] else { return nil }
            state.remove(subscription)
            state.removeIfUnused(subscription.installation)
            return subscription.installation
        }
    }
}

extension ServiceError {
    /// The error of a live query whose condition took too long or too many steps shortly before.
    ///
    /// - Parameter time: The time until it can be subscribed again.
    /// - Returns: The error.
    static func costlyLiveQuery(_ time: Duration) -> ServiceError {
        ServiceError(
            .badRequest,
            "query.where took too long for one change, or too many steps; it is refused for "
                + "\(max(1, time.components.seconds)) seconds. Use a simpler condition."
        )
    }
}

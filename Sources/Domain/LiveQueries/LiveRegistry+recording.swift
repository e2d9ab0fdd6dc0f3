extension LiveRegistry {
    /// Returns when every further change of classes is recorded.
    ///
    /// A transaction that runs when the recording of a class begins is not recorded. If it committed after a client
    /// learned that its events have begun, the client would neither find the change nor receive its event.
    ///
    /// - Parameters:
    ///   - names: Classes with subscriptions.
    ///   - store: The store whose changes are recorded.
    func awaitRecording(of names: Set<ClassName>, in store: any ObjectStore) async {
        let recorded = withState { state in state.newlyRecorded.filter { names.contains($0.key) } }
        guard !recorded.isEmpty else { return }
        await store.awaitRunningWrites()
        withState { state in
            for (name, number) in recorded where state.newlyRecorded[name] == number {
                state.newlyRecorded[name] = nil
            }
        }
    }
}

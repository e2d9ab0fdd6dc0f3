/// Placeholder until the commands are declared.
package enum RealtimeCommand {}

/// The way to get a service if none answers.
public enum StartPolicy: Hashable, Sendable {
  /// Fail with `unavailable.service`.
  case never
  /// Start `depotd`, if nothing speaks against it, and wait until it answers.
  ///
  /// A service is started only at the default socket, and if `$DEPOT_SOCKET` doesn't name another
  /// one. It gets the store that the last service there had, or the default store if there was
  /// none. After it was stopped on purpose, as by `depot service stop`, it isn't started again
  /// until a user does so; with `DEPOT_NO_START=1` in the environment none is ever started.
  case ifMissing
}

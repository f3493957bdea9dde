/// The way to get a service if none answers.
public enum StartPolicy: Hashable, Sendable {
  /// Fail with `unavailable.service`.
  case never
  /// Start `depotd`, if nothing speaks against it, and wait until it answers.
  ///
  /// A service is started only at the default socket, and if `$DEPOT_SOCKET` doesn't name another one.
  /// It gets the store that the last one there had, or the default store if there was none. After
  /// somebody has stopped it, as with `depot service stop`, it is missed until somebody starts it; with
  /// `DEPOT_NO_START=1` in the environment none is ever started.
  case ifMissing
}

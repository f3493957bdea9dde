/// Whether a context is notified of the saves of others.
enum Listening {
  /// It doesn't yet: nothing was read or saved.
  case unneeded
  /// It doesn't.
  case off
  /// It doesn't, and has missed saves since it read something.
  case late
  /// It does.
  case on
}

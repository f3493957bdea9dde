public import DepotProtocol

/// How a watch behaves.
@Memberwise
public struct WatchOptions: Hashable, Sendable {
  /// Whether changes that were made through the same client are reported too.
  ///
  /// Without them the rows can't be known: positions are in the whole result, changes are reported
  /// but can't be applied, and a watch continues with ``LiveEvent/resumed(_:)``. Snapshots and
  /// ``LiveResults`` have all changes regardless of this option.
  public var echoes: Bool = true
  /// The reaction if the history lacks the changes since a connection was lost.
  ///
  /// It is a new snapshot, or the error `history.expired` if that was too long ago and
  /// `history.foreign` if the store was restored meanwhile.
  public var onExpired: WatchRequest.Expiry = .snapshot
  /// After how long without changes the newest token is reported; never if `nil`.
  ///
  /// With a newer token the service has to search less history after a lost connection.
  public var bookmark: Duration? = .seconds(30)
}

extension WatchRequest {
  package init(_ subject: Subject, _ options: WatchOptions) {
    self.init(
      subject,
      echoes: options.echoes,
      onExpired: options.onExpired,
      bookmarkMilliseconds: options.bookmark.map { min(max($0.milliseconds, 100), 86_400_000) }
    )
  }
}

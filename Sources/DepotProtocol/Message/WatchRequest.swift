/// A query whose answer is kept up to date.
public struct WatchRequest: Hashable, Sendable {
  /// What is watched.
  public enum Subject: Hashable, Sendable {
    /// The rows of a fetch, without `distinct`, `sectionBy`, and `after`.
    case fetch(FetchRequest)
    case count(CountRequest)
    case aggregate(AggregateRequest)
    /// The transactions themselves: what a read of the history would give, without a beginning and an
    /// end, and the oldest first.
    case history(HistoryRequest)
  }

  /// What happens if the history no longer reaches back to ``WatchRequest/since``.
  public enum Expiry: String, Hashable, Sendable, CaseIterable {
    /// The call fails with `history.expired`.
    case error
    /// It begins with a snapshot as if nothing were known.
    case snapshot
  }

  public var subject: Subject
  /// The token up to which the client knows everything; `nil` for a client that knows nothing.
  public var since: HistoryToken?
  /// Whether changes that came over the same connection are sent too.
  public var echoes: Bool
  public var onExpired: Expiry
  /// After how many milliseconds without a frame the client is told the newest token; never if `nil`.
  public var bookmarkMilliseconds: Int?

  public init(
    _ subject: Subject,
    since: HistoryToken? = nil,
    echoes: Bool = true,
    onExpired: Expiry = .snapshot,
    bookmarkMilliseconds: Int? = nil
  ) {
    self.subject = subject
    self.since = since
    self.echoes = echoes
    self.onExpired = onExpired
    self.bookmarkMilliseconds = bookmarkMilliseconds
  }

  public init(_ request: FetchRequest) { self.init(.fetch(request)) }

  /// The name of the entity that it is about; `nil` for the whole history.
  public var entity: String? {
    switch subject {
    case .fetch(let request): request.entity
    case .count(let request): request.entity
    case .aggregate(let request): request.entity
    case .history(let request): request.entity
    }
  }
}

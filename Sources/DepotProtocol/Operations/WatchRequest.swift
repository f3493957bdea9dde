/// A query whose result is kept up to date.
@Memberwise("subject")
public struct WatchRequest: Hashable, Sendable {
  /// The subject of the watch.
  public enum Subject: Hashable, Sendable {
    /// The rows of a fetch, without `distinct`, `sectionBy`, and `after`.
    case fetch(FetchRequest)
    case count(CountRequest)
    case aggregate(AggregateRequest)
    /// The transactions of the history, the oldest first, without a beginning and an end.
    case history(HistoryRequest)
  }

  /// The behavior if the history doesn't reach back to ``WatchRequest/since``.
  public enum Expiry: String, Hashable, Sendable, CaseIterable {
    /// The call fails with `history.expired`, or with `history.foreign`.
    case error
    /// The watch begins with a snapshot, as for a client that knows nothing.
    case snapshot
  }

  public var subject: Subject
  /// The token up to which the client is up to date; `nil` for a client that knows nothing.
  public var since: HistoryToken?
  /// Whether changes made by the same connection are sent too.
  public var echoes: Bool = true
  public var onExpired: Expiry = .snapshot
  /// The milliseconds without a frame before the newest token is sent; never if `nil`.
  public var bookmarkMilliseconds: Int?

  public init(_ request: FetchRequest) { self.init(.fetch(request)) }

  /// The name of the watched entity; `nil` for the whole history.
  public var entity: String? {
    switch subject {
    case .fetch(let request): request.entity
    case .count(let request): request.entity
    case .aggregate(let request): request.entity
    case .history(let request): request.entity
    }
  }

  /// The condition on the watched rows; `nil` for all of them.
  package var predicate: QueryExpression? {
    switch subject {
    case .fetch(let request): request.predicate
    case .count(let request): request.predicate
    case .aggregate(let request): request.predicate
    case .history: nil
    }
  }
}

extension WatchRequest: MemberObject {
  static var blank: Self { Self(.history(.blank)) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var fetch: FetchRequest? = if case .fetch(let request) = subject { request } else { nil }
    var count: CountRequest? = if case .count(let request) = subject { request } else { nil }
    var aggregate: AggregateRequest? =
      if case .aggregate(let request) = subject { request } else { nil }
    var changes: WatchedChanges?
    if case .history(let request) = subject, !Coder.isReader { changes = WatchedChanges(request) }
    try coder.optional("fetch", &fetch)
    try coder.optional("count", &count)
    try coder.optional("aggregate", &aggregate)
    try coder.optional("history", &changes)
    switch (fetch, count, aggregate, changes) {
    case (let request?, nil, nil, nil):
      try coder.check { (node) throws(DepotError) in
        try Self.check(request, at: node.pointer + "/fetch")
      }
      subject = .fetch(request)
    case (nil, let request?, nil, nil): subject = .count(request)
    case (nil, nil, let request?, nil): subject = .aggregate(request)
    case (nil, nil, nil, let changes?): subject = .history(changes.request)
    default:
      try coder.check { (node) throws(DepotError) in
        throw DepotError(
          .usage,
          "\"watch\" has exactly one of \"fetch\", \"count\", \"aggregate\", and \"history\"."
        ).at(node.pointer)
      }
    }
    try coder.optional("since", &since)
    try coder.value("echo", &echoes, default: true)
    try coder.value("onExpired", &onExpired, default: .snapshot)
    try coder.number("bookmarkMs", &bookmarkMilliseconds, in: 100...86_400_000)
  }

  /// Checks that the rows of a fetch have identifiers and a total order.
  private static func check(_ request: FetchRequest, at pointer: String) throws(DepotError) {
    let member: String? =
      request.isDistinct
      ? "distinct" : request.sectionBy != nil ? "sectionBy" : request.after != nil ? "after" : nil
    guard let member else { return }
    throw DepotError(.usage, "A fetch with \"\(member)\" can't be watched.")
      .at(pointer + "/" + member)
  }
}

extension WatchRequest.Expiry: MemberChoice {}

/// The members of a history read that select changes, without its bounds.
@Memberwise("request")
private struct WatchedChanges: MemberObject {
  var request: HistoryRequest

  static var blank: Self { Self(.blank) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try request.changes(&coder)
    try coder.value("values", &request.hasValues, default: true)
  }
}

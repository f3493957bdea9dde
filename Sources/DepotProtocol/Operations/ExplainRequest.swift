/// A read to explain.
@Memberwise("read")
public struct ExplainRequest: Hashable, Sendable {
  /// The reads that can be explained.
  public enum Read: Hashable, Sendable {
    case fetch(FetchRequest)
    case count(CountRequest)
    case aggregate(AggregateRequest)
  }

  public var read: Read
  /// Whether the read is also run to its end, to report its cost.
  public var runs: Bool = false

  public init(_ request: FetchRequest, runs: Bool = false) {
    self.init(.fetch(request), runs: runs)
  }

  /// The name of the entity that it is about.
  public var entity: String { read.rows.entity }
}

extension ExplainRequest.Read {
  /// The rows that are read.
  package var rows: any RowRequest {
    switch self {
    case .fetch(let request): request
    case .count(let request): request
    case .aggregate(let request): request
    }
  }
}

extension ExplainRequest: MemberObject {
  static var blank: Self { Self(.fetch(.blank)) }

  /// Passes the members of the read, and `of`, the name of its operation, and `run` beside them.
  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.custom { (reader) throws(DepotError) in
      var kind = Kind.fetch
      try reader.value("of", &kind, default: .fetch)
      switch kind {
      case .fetch: break
      case .count: read = .count(.blank)
      case .aggregate: read = .aggregate(.blank)
      }
    } write: { _ in
    }
    var kind: Kind
    switch read {
    case .fetch(var request):
      kind = .fetch
      try request.members(&coder)
      read = .fetch(request)
    case .count(var request):
      kind = .count
      try request.members(&coder)
      read = .count(request)
    case .aggregate(var request):
      kind = .aggregate
      try request.members(&coder)
      read = .aggregate(request)
    }
    try coder.value("of", &kind, default: .fetch)
    try coder.value("run", &runs, default: false)
  }

  private enum Kind: String, MemberChoice {
    case fetch
    case count
    case aggregate
  }
}

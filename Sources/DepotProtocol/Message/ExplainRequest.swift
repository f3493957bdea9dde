/// A read that is to be explained.
public struct ExplainRequest: Hashable, Sendable {
  /// The reads that can be.
  public enum Read: Hashable, Sendable {
    case fetch(FetchRequest)
    case count(CountRequest)
    case aggregate(AggregateRequest)
  }

  public var read: Read
  /// Whether the read is run to its end too, to tell what it cost.
  public var runs: Bool

  public init(_ read: Read, runs: Bool = false) {
    self.read = read
    self.runs = runs
  }

  public init(_ request: FetchRequest, runs: Bool = false) {
    self.init(.fetch(request), runs: runs)
  }

  /// The name of the entity that it is about.
  public var entity: String {
    switch read {
    case .fetch(let request): request.entity
    case .count(let request): request.entity
    case .aggregate(let request): request.entity
    }
  }
}

extension ExplainRequest {
  /// Reads the arguments of the read with `of`, the name of its operation, and `run` beside them.
  init(_ reader: inout RequestReader) throws(DepotError) {
    let node = reader.optional("of")
    let runs = try reader.bool("run", default: false)
    switch try node?.string() ?? "fetch" {
    case "fetch": self.init(.fetch(try FetchRequest(&reader)), runs: runs)
    case "count": self.init(.count(try CountRequest(&reader)), runs: runs)
    case "aggregate": self.init(.aggregate(try AggregateRequest(&reader)), runs: runs)
    default:
      throw DepotError(.usage, "\"of\" is \"fetch\", \"count\", or \"aggregate\".")
        .at(node?.pointer ?? "")
    }
  }
}

internal import DepotLinux
internal import DepotProtocol

/// The bounds of a transaction that several requests share.
struct Batch {
  static let requestLimit = 512
  static let byteLimit = 8 << 20
  /// After how much work, in nanoseconds, those are answered that are in it.
  static let duration: UInt64 = 20_000_000

  /// The number of requests that a transaction may always have, for a store in a file.
  ///
  /// Beyond it, requests that arrive during a transaction wait for the next one: with all clients
  /// in one transaction, nothing would be done while it is flushed. In a cluster a transaction
  /// costs more than that.
  private static let small = 8

  private let limit: Int
  private var count = 1
  private var bytes: Int
  private let end = Monotonic.now() + duration
  private let isShared: Bool

  /// Begins with a request, which may be of any size, while so many others wait.
  init(_ first: WriteRequest, waiting: Int, isInCluster: Bool) {
    limit = isInCluster ? Self.requestLimit : min(Self.requestLimit, max(Self.small, 1 + waiting))
    bytes = first.operation.rowBytes
    isShared = !first.isAlone
  }

  /// Whether a request that comes next belongs into it, which counts it then.
  mutating func admits(_ request: WriteRequest) -> Bool {
    let sum = bytes + request.operation.rowBytes
    guard isShared, !request.isAlone, count < limit, sum <= Self.byteLimit,
      Monotonic.now() < end
    else { return false }
    (count, bytes) = (count + 1, sum)
    return true
  }
}

extension WriteRequest {
  /// Whether no other request may be in its transaction.
  fileprivate var isAlone: Bool {
    switch operation {
    case .defineSchema, .beginMigration, .commitMigration: true
    default: isBarrier || phase != .whole
    }
  }
}

extension Operation {
  /// The size of the rows that it brings, in bytes.
  fileprivate var rowBytes: Int {
    switch self {
    case .insert(let request): request.rows.byteCount
    case .save(let request):
      request.inserts.reduce(0) { $0 + $1.rows.byteCount }
        + request.updates.reduce(0) { $0 + $1.rows.byteCount }
    default: 0
    }
  }
}

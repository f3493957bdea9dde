/// The bounds that the protocol sets before anything is allocated.
///
/// All of them are announced in `welcome`, and each has an error of class `limit`.
public enum Limits {
  /// The largest frame, in bytes, not counting its length prefix.
  public static let frameBytes = 16 << 20
  /// The largest frame that is skipped rather than answered by closing the connection, in bytes.
  public static let skippedFrameBytes = 64 << 20
  /// The most JSON values in a frame, names included.
  public static let values = 1_000_000
  /// The deepest nesting of JSON arrays and objects.
  public static let depth = 64
  /// The largest string or blob, in bytes.
  public static let valueBytes = 8 << 20
  /// The most nodes of a predicate.
  public static let predicateNodes = 1000
  /// The deepest nesting of a predicate.
  public static let predicateDepth = 48
  /// The most nodes of all expressions of a request together.
  public static let requestNodes = 4000
  /// The most constants in the lists of a request's expressions; they don't count as nodes.
  public static let listElements = 100_000
  /// The most bytes of a query's constants, each counted as often as the query needs it.
  public static let constantBytes = 32 << 20
  /// The most steps of a path.
  public static let pathSteps = 60
  /// The most columns of a result.
  public static let columns = 1900
  /// The most sort keys of a request.
  public static let sortKeys = 64
  /// The most prefetched relationships of a request.
  public static let prefetches = 1000
  /// The most rows of one `insert`, and identifiers of one `get`, `update`, or `delete`.
  public static let rows = 10_000
  /// The most calls of one connection that wait for their answer.
  public static let inFlight = 64
  /// The most streams among these calls.
  public static let streams = 32
  /// The most watched queries of one connection, besides its other calls.
  public static let watches = 64
  /// The most rows of a watched query.
  public static let watchRows = 100_000
  /// The most open connections.
  public static let connections = 256
  /// The unsent bytes for a client at which its streams pause.
  public static let outboundSoftBytes = 1 << 20
  /// The unsent bytes for a client at which it is disconnected.
  public static let outboundHardBytes = 64 << 20
  /// The longest idempotency key, in bytes.
  public static let keyBytes = 128
  /// The longest name of an entity or attribute, in bytes.
  public static let nameBytes = 128
  /// The most entities of a schema.
  public static let entities = 1000
  /// The most superentities of an entity.
  public static let ancestors = 32
  /// The most attributes of an entity.
  public static let attributes = 500
  /// The time within which a client must send `hello`, in milliseconds.
  public static let helloMilliseconds = 5000
  /// The most open stores of containers, besides the service's own store.
  public static let stores = 32
  /// The most pins of a connection.
  public static let pins = 8
  /// The most pins of all connections together.
  public static let allPins = 32
  /// The most saves with staged parts of a connection.
  public static let stagedSaves = 8
  /// The most rows in all parts of one save.
  public static let stagedRows = 1_000_000
  /// The most bytes of parts staged by one connection.
  public static let stagedBytes = 256 << 20
  /// The most bytes of parts staged by all connections together.
  public static let allStagedBytes = 512 << 20
}

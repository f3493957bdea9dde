/// The bounds that the protocol sets before anything is allocated.
///
/// All of them are announced in `welcome`, and each has an error of class `limit`.
public enum Limits {
  /// The largest frame, in bytes, not counting its length prefix.
  public static let frameBytes = 16 << 20
  /// The largest frame that is skipped rather than answered by closing the connection, in bytes.
  public static let skippedFrameBytes = 64 << 20
  /// How many JSON values a frame may hold, names included.
  public static let values = 1_000_000
  /// How deep JSON containers may be nested.
  public static let depth = 64
  /// The largest string or blob, in bytes.
  public static let valueBytes = 8 << 20
  /// How many nodes a predicate may have.
  public static let predicateNodes = 1000
  /// How deep a predicate may be nested.
  public static let predicateDepth = 48
  /// How many nodes the expressions of a request may have together.
  public static let requestNodes = 4000
  /// How many constants the lists of a request's expressions may have; they don't count as nodes.
  public static let listElements = 100_000
  /// How many bytes the constants of a query may have, each as often as the query needs it.
  public static let constantBytes = 32 << 20
  /// How many steps a path may have.
  public static let pathSteps = 60
  /// How many columns a row of a result may have.
  public static let columns = 1900
  /// How many keys rows may be sorted by.
  public static let sortKeys = 64
  /// How many relationships may be prefetched.
  public static let prefetches = 1000
  /// How many rows one `insert` may have, and identifiers one `get`, `update`, or `delete`.
  public static let rows = 10_000
  /// How many calls of one connection may be waiting for their answer.
  public static let inFlight = 64
  /// How many of these may be streams.
  public static let streams = 32
  /// How many queries one connection may watch, besides its other calls.
  public static let watches = 64
  /// How many rows a watched query may have.
  public static let watchRows = 100_000
  /// How many connections may be open at once.
  public static let connections = 256
  /// How many bytes of answers may wait for a client before its streams pause.
  public static let outboundSoftBytes = 1 << 20
  /// How many bytes of answers may wait for a client before it is cut off.
  public static let outboundHardBytes = 64 << 20
  /// The longest idempotency key, in bytes.
  public static let keyBytes = 128
  /// The longest name of an entity or attribute, in bytes.
  public static let nameBytes = 128
  /// How many entities a schema may have.
  public static let entities = 1000
  /// How many superentities an entity may have.
  public static let ancestors = 32
  /// How many attributes an entity may have.
  public static let attributes = 500
  /// How long a client may take to say hello, in milliseconds.
  public static let helloMilliseconds = 5000
  /// How many stores containers may have open, besides the service's own.
  public static let stores = 32
  /// How many pins a connection may have.
  public static let pins = 8
  /// How many pins all connections together may have.
  public static let allPins = 32
  /// For how many saves at once a connection may have parts staged.
  public static let stagedSaves = 8
  /// How many rows the parts of one save may have together.
  public static let stagedRows = 1_000_000
  /// How many bytes the parts staged by one connection may have.
  public static let stagedBytes = 256 << 20
  /// How many bytes the parts staged by all connections together may have.
  public static let allStagedBytes = 512 << 20
}

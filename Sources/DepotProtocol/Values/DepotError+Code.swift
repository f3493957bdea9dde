/// The codes of errors, with their meaning for retries and exit statuses.
extension DepotError {
  /// A class and a reason, as in `conflict.unique`.
  ///
  /// A program that only knows the class can still react correctly, since new reasons may appear.
  @Memberwise
  public struct Code: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    /// The part before the point.
    public var `class`: Substring { rawValue.prefix { $0 != "." } }
  }
}

extension DepotError.Code {
  public static let version = Self(rawValue: "protocol.version")
  public static let frame = Self(rawValue: "protocol.frame")
  public static let json = Self(rawValue: "protocol.json")
  public static let sequence = Self(rawValue: "protocol.sequence")
  public static let hello = Self(rawValue: "protocol.hello")

  public static let unknownOperation = Self(rawValue: "request.unknown_op")
  public static let unknownMember = Self(rawValue: "request.unknown_member")
  public static let missingMember = Self(rawValue: "request.missing_member")
  public static let type = Self(rawValue: "request.type")
  public static let numberRange = Self(rawValue: "request.number_range")
  public static let duplicateKey = Self(rawValue: "request.duplicate_key")
  public static let predicate = Self(rawValue: "request.predicate")
  public static let usage = Self(rawValue: "request.usage")
  public static let overflow = Self(rawValue: "request.overflow")
  public static let enumerating = Self(rawValue: "request.enumerating")
  public static let unsupported = Self(rawValue: "request.unsupported")

  public static let unknownEntity = Self(rawValue: "schema.unknown_entity")
  public static let unknownAttribute = Self(rawValue: "schema.unknown_attribute")
  public static let invalidSchema = Self(rawValue: "schema.invalid")
  public static let mismatch = Self(rawValue: "schema.mismatch")
  public static let loss = Self(rawValue: "schema.loss")
  public static let newerStore = Self(rawValue: "schema.newer_store")
  public static let unknownVersion = Self(rawValue: "schema.unknown_version")
  public static let rowsInTheWay = Self(rawValue: "schema.rows_in_the_way")

  public static let objectNotFound = Self(rawValue: "notfound.object")
  public static let fileNotFound = Self(rawValue: "notfound.file")
  public static let connectionNotFound = Self(rawValue: "notfound.connection")
  public static let containerNotFound = Self(rawValue: "notfound.container")
  public static let stagedNotFound = Self(rawValue: "notfound.staged")
  public static let schemaNotFound = Self(rawValue: "notfound.schema")

  public static let unique = Self(rawValue: "conflict.unique")
  public static let merge = Self(rawValue: "conflict.merge")
  public static let read = Self(rawValue: "conflict.read")
  public static let keyReused = Self(rawValue: "conflict.key_reused")
  public static let containerDiffers = Self(rawValue: "conflict.container")

  public static let required = Self(rawValue: "constraint.required")
  public static let range = Self(rawValue: "constraint.range")
  public static let length = Self(rawValue: "constraint.length")
  public static let pattern = Self(rawValue: "constraint.pattern")
  public static let notACase = Self(rawValue: "constraint.case")
  public static let count = Self(rawValue: "constraint.count")
  public static let reference = Self(rawValue: "constraint.reference")
  public static let denied = Self(rawValue: "constraint.denied")
  public static let violations = Self(rawValue: "constraint.violations")

  public static let frameTooLarge = Self(rawValue: "limit.frame_bytes")
  public static let tooManyValues = Self(rawValue: "limit.values")
  public static let tooDeep = Self(rawValue: "limit.depth")
  public static let valueTooLarge = Self(rawValue: "limit.value_bytes")
  public static let tooManyRows = Self(rawValue: "limit.rows")
  public static let predicateTooLarge = Self(rawValue: "limit.predicate")
  public static let tooManyInFlight = Self(rawValue: "limit.in_flight")
  public static let tooManyStreams = Self(rawValue: "limit.streams")
  public static let tooManyWatches = Self(rawValue: "limit.watches")
  public static let tooManyWatchedRows = Self(rawValue: "limit.watch_rows")
  public static let tooManyConnections = Self(rawValue: "limit.connections")
  public static let outboundTooLarge = Self(rawValue: "limit.outbound_bytes")
  public static let tooManyStores = Self(rawValue: "limit.stores")
  public static let tooManyPins = Self(rawValue: "limit.pins")
  public static let tooMuchStaged = Self(rawValue: "limit.staged")
  public static let saveTooLarge = Self(rawValue: "limit.save")

  public static let deadline = Self(rawValue: "deadline.passed")
  public static let cancelled = Self(rawValue: "cancelled.by_client")

  public static let streamExpired = Self(rawValue: "stream.expired")

  public static let historyExpired = Self(rawValue: "history.expired")
  public static let historyForeign = Self(rawValue: "history.foreign")
  public static let historyNoValues = Self(rawValue: "history.no_values")
  public static let alreadyUndone = Self(rawValue: "history.already_undone")
  public static let nothingToUndo = Self(rawValue: "history.nothing")

  public static let draining = Self(rawValue: "unavailable.draining")
  public static let busy = Self(rawValue: "unavailable.busy")
  public static let readOnly = Self(rawValue: "unavailable.readonly")
  public static let migrating = Self(rawValue: "unavailable.migrating")
  public static let ended = Self(rawValue: "unavailable.ended")
  public static let noService = Self(rawValue: "unavailable.service")
  public static let disconnected = Self(rawValue: "unavailable.disconnected")
  public static let unreachable = Self(rawValue: "unavailable.cluster")

  public static let peer = Self(rawValue: "permission.peer")
  public static let operation = Self(rawValue: "permission.op")
  public static let filePermission = Self(rawValue: "permission.file")

  public static let full = Self(rawValue: "storage.full")
  public static let io = Self(rawValue: "storage.io")
  public static let corrupt = Self(rawValue: "storage.corrupt")
  public static let gone = Self(rawValue: "storage.gone")
  public static let invalidText = Self(rawValue: "storage.invalid_text")
  public static let unfitCluster = Self(rawValue: "storage.cluster")

  public static let bug = Self(rawValue: "internal.bug")
}

extension DepotError.Code {
  /// Whether, and when, it helps to send the request again.
  public var retry: DepotError.Retry {
    switch `class` {
    case "conflict": .afterRefetch
    case "limit":
      [
        .tooManyInFlight, .tooManyStreams, .tooManyWatches, .tooManyStores, .tooManyPins,
        .tooMuchStaged,
      ].contains(self) ? .later : .no
    case "unavailable": self == .readOnly ? .no : .later
    case "storage": self == .full ? .later : .no
    case "stream": .later
    case "deadline": .now
    default: .no
    }
  }

  /// Whether the error shows that the write isn't stored, even if it was sent several times.
  ///
  /// The service reports such errors only after it has looked the idempotency key up, or for every
  /// attempt alike.
  package var isVerdict: Bool {
    switch `class` {
    case "conflict", "constraint", "history", "request", "schema": self != .enumerating
    default: self == .objectNotFound
    }
  }

  /// The status with which a command line program ends after this error (sysexits.h).
  public var exitStatus: Int32 {
    switch `class` {
    case "protocol": 76
    case "request": 64
    case "schema", "constraint": 65
    case "notfound": self == .fileNotFound ? 66 : 1
    case "conflict", "history": 1
    case "limit", "deadline", "stream": 75
    case "cancelled": 130
    case "unavailable": 69
    case "permission": 77
    case "storage": 74
    default: 70
    }
  }
}

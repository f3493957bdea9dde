/// A frame that a service sends.
package enum ServerFrame: Sendable {
  case welcome(Welcome)
  /// Rows of a stream; the array begins at an offset in the frame's bytes.
  ///
  /// A watch's own reader finds them, and the other members of its frame.
  case next(id: Int64, columns: [String]?, rowsOffset: Int)
  case ok(id: Int64, JSONNode)
  /// The failure of a call, or of the connection if it has no id.
  case failure(id: Int64?, DepotError)
  case ping(Int64)
  case pong(Int64)
  case event(String)
  /// A frame of a kind that later versions may add; it is ignored.
  case other
}

extension ServerFrame {
  /// Reads a frame; unknown members are ignored.
  ///
  /// - Throws: ``DepotError`` if it isn't a JSON object or a member breaks the protocol.
  package init(_ bytes: [UInt8]) throws(DepotError) {
    if let rows = Self.plainRows(bytes) {
      self = rows
      return
    }
    let document = try JSONDocument(bytes, valueLimit: .max)
    var reader = try JSONObjectReader(document.root)
    let id = try reader.optional("id")?.int64()
    if let node = reader.optional("err") {
      self = .failure(id: id, try DepotError(node))
    } else if let id, let node = reader.optional("ok") {
      self = .ok(id: id, node)
    } else if let id, let node = reader.optional("next") {
      let columns = try reader.optional("columns")?.elements()
        .map { (name) throws(DepotError) in try name.string() }
      self = .next(id: id, columns: columns, rowsOffset: node.range.lowerBound)
    } else if let node = reader.optional("welcome") {
      self = .welcome(try RequestReader.reply(node))
    } else if let node = reader.optional("event") {
      self = .event(try node.string())
    } else if let node = reader.optional("ping") {
      self = .ping(try node.int64())
    } else if let node = reader.optional("pong") {
      self = .pong(try node.int64())
    } else {
      self = .other
    }
  }

  /// Recognizes `{"id":N,"next":[…]}` and `{"id":N,"kind":…}`, the frame of a watch, without
  /// reading the rows, whose reader checks them later.
  ///
  /// The rows and a member `related` end with arrays or objects; names of columns don't, so a frame
  /// with names isn't recognized.
  private static func plainRows(_ bytes: [UInt8]) -> ServerFrame? {
    guard bytes.has("{\"id\":", at: 0) else { return nil }
    var position = 6
    var id: Int64 = 0
    while position < bytes.count, bytes[position] &- 0x30 < 10, position < 22 {
      id = id &* 10 &+ Int64(bytes[position] - 0x30)
      position += 1
    }
    if bytes.has(",\"kind\":\"", at: position) {
      return .next(id: id, columns: nil, rowsOffset: position)
    }
    guard bytes.has(",\"next\":", at: position),
      ["[]}", "]]}", "}]}"].contains(where: { bytes.has($0, at: bytes.count - 3) })
    else { return nil }
    return .next(id: id, columns: nil, rowsOffset: position + 8)
  }
}

extension [UInt8] {
  /// Whether the bytes of `text` are at `position`.
  fileprivate func has(_ text: StaticString, at position: Int) -> Bool {
    guard count >= position + text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount
    where self[position + offset] != text.utf8Start[offset] { return false }
    return true
  }
}

/// The reply of a service to hello.
@Memberwise
package struct Welcome: Hashable, Sendable {
  package var version: Int
  /// The name, version, instance, and process of the service.
  package var server: JSONValue
  package var connection: Int64
  package var features: [String]
  package var limits: [String: Int64]
  /// The identifier and schema fingerprint of the connection's container; null if it isn't open.
  package var store: JSONValue
  /// The container that the connection's hello named.
  package var container: String?
}

extension Welcome: MemberObject {
  static var blank: Self {
    Self(version: 0, server: .null, connection: 0, features: [], limits: [:], store: .null)
  }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("protocol", &version)
    try coder.value("server", &server, default: .null, isAlwaysWritten: true)
    try coder.value("connection", &connection, default: 0, isAlwaysWritten: true)
    try coder.value("features", &features, default: [], isAlwaysWritten: true)
    var numbers = JSONValue.object(limits.mapValues(JSONValue.int64))
    try coder.value("limits", &numbers, default: .null, isAlwaysWritten: true)
    limits = numbers.object?.compactMapValues(\.int64) ?? [:]
    try coder.value("store", &store, default: .null, isAlwaysWritten: true)
    try coder.optional("container", &container)
  }
}

extension JSONWriter {
  package mutating func write(_ welcome: Welcome) {
    raw("{\"welcome\":")
    object(welcome)
    raw("}")
  }
}

extension Limits {
  /// The limits by the names under which `welcome` announces them.
  package static let announced: [String: Int64] = [
    "frameBytes": Int64(frameBytes),
    "skippedFrameBytes": Int64(skippedFrameBytes), "values": Int64(values), "depth": Int64(depth),
    "valueBytes": Int64(valueBytes), "predicateNodes": Int64(predicateNodes),
    "predicateDepth": Int64(predicateDepth), "requestNodes": Int64(requestNodes),
    "listElements": Int64(listElements), "constantBytes": Int64(constantBytes),
    "pathSteps": Int64(pathSteps), "columns": Int64(columns), "sortKeys": Int64(sortKeys),
    "prefetches": Int64(prefetches), "ancestors": Int64(ancestors),
    "rows": Int64(rows), "inFlight": Int64(inFlight),
    "streams": Int64(streams), "watches": Int64(watches), "watchRows": Int64(watchRows),
    "connections": Int64(connections),
    "outboundSoftBytes": Int64(outboundSoftBytes), "outboundHardBytes": Int64(outboundHardBytes),
    "keyBytes": Int64(keyBytes), "nameBytes": Int64(nameBytes), "entities": Int64(entities),
    "attributes": Int64(attributes), "helloMilliseconds": Int64(helloMilliseconds),
    "stores": Int64(stores), "pins": Int64(pins), "allPins": Int64(allPins),
    "stagedSaves": Int64(stagedSaves), "stagedRows": Int64(stagedRows),
    "stagedBytes": Int64(stagedBytes), "allStagedBytes": Int64(allStagedBytes),
  ]
}

internal import DepotProtocol

/// A frame of a watch, without its rows.
struct LiveFrame: Sendable {
  /// The kind of a frame.
  enum Kind: String, Sendable {
    /// Rows of the whole result.
    case snapshot
    /// The end of the initial result: from here on there are changes.
    case live
    case change
    /// Nothing changed up to the token.
    case mark
    /// Changes were left out; the current result follows.
    case gap
    /// The differences since the token of the request.
    case resume
  }

  /// The change of a row in the frame.
  struct Entry: Sendable {
    var at = 0
    var from: Int?
    var properties: [String]?
  }

  let kind: Kind
  /// The frame.
  let bytes: [UInt8]
  private(set) var token: HistoryToken?
  /// The tokens before and after a gap.
  private(set) var gap: (from: HistoryToken?, to: HistoryToken?) = (nil, nil)
  private(set) var author: String?
  /// Whether the frame is continued by the next one.
  private(set) var hasMore = false
  private(set) var columns: [String]?
  /// Where the rows begin.
  private(set) var rowsOffset: Int?
  /// The changes of the rows, in their order.
  private(set) var entries: [Entry] = []
  private(set) var removed: [LivePositions.Taken] = []
  /// The identifiers of all rows of the result.
  private(set) var order: [Int64] = []

  /// Reads a frame; `nil` if it is of a kind that isn't known here.
  ///
  /// - Parameters:
  ///   - bytes: The frame.
  ///   - next: Reads the rows; they are skipped if they are read later.
  /// - Throws: ``DepotError`` `request.type` or `protocol.json` if it hasn't the members of its
  ///   kind.
  init?(
    _ bytes: [UInt8],
    next: (inout RowReader) throws(DepotError) -> Void = { (value) throws(DepotError) in
      _ = try value.text()
    }
  ) throws(DepotError) {
    var kind: String?
    var frame = (entries: [Entry](), removed: [LivePositions.Taken](), order: [Int64]())
    var tokens: [String: HistoryToken] = [:]
    var rest = (author: String?.none, hasMore: false, columns: [String]?.none, offset: Int?.none)
    try bytes.withUnsafeBufferPointer { (buffer) throws(DepotError) in
      var reader = RowReader(value: buffer)
      try reader.object { (name, value) throws(DepotError) in
        switch name {
        case "kind": kind = try value.next()
        case "token", "from", "to": tokens[name] = try HistoryToken(value.next())
        case "author": rest.author = try value.next()
        case "more": rest.hasMore = try value.next()
        case "columns": rest.columns = try value.next()
        case "next":
          rest.offset = value.offset
          if kind.flatMap(Kind.init) == nil { _ = try value.text() } else { try next(&value) }
        case "changes":
          try value.list { (value) throws(DepotError) in frame.entries.append(try Entry(&value)) }
        case "removed":
          try value.list { (value) throws(DepotError) in
            frame.removed.append(try LivePositions.Taken(&value))
          }
        case "order": frame.order = try value.next()
        default: _ = try value.text()
        }
      }
    }
    guard let kind else { throw DepotError(.frame, "A frame of a watch has no kind.") }
    guard let known = Kind(rawValue: kind) else { return nil }
    self.kind = known
    self.bytes = bytes
    (entries, removed, order) = frame
    (author, hasMore, columns, rowsOffset) = rest
    token = tokens["token"]
    gap = (tokens["from"], tokens["to"])
    let needsToken = known == .live || known == .mark || known == .change || known == .resume
    if needsToken, token == nil {
      throw DepotError(.frame, "A \(kind) frame of a watch has no token.")
    }
  }
}

extension LiveFrame.Entry {
  /// Reads the change of a row.
  fileprivate init(_ reader: inout RowReader) throws(DepotError) {
    var kind = ""
    var entry = LiveFrame.Entry()
    var at: Int?
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "kind": kind = try value.next()
      case "at": at = try value.place()
      case "from": entry.from = try value.place()
      case "properties": entry.properties = try value.next()
      default: _ = try value.text()
      }
    }
    let isPlaced = kind == "inserted" ? entry.from == nil : kind != "updated" || entry.from != nil
    guard let at, isPlaced else {
      throw DepotError(.frame, "A row that was \(kind) has no position.")
    }
    entry.at = at
    self = entry
  }
}

extension LivePositions.Taken {
  /// Reads a removed row and its old position.
  fileprivate init(_ reader: inout RowReader) throws(DepotError) {
    var identifier: Int64?
    var from: Int?
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "id": identifier = try value.next()
      case "from": from = try value.place()
      default: _ = try value.text()
      }
    }
    guard let identifier, let from else {
      throw DepotError(.frame, "A row that was removed has no identifier or no position.")
    }
    self.init(identifier: identifier, from: from)
  }
}

extension RowReader {
  /// Reads a position in a result.
  fileprivate mutating func place() throws(DepotError) -> Int {
    let place: Int = try next()
    guard place >= 0 else {
      throw DepotError(.numberRange, "There is no position \(place).")
    }
    return place
  }
}

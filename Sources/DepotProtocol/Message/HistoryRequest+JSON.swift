internal import FoundationEssentials

extension HistoryRequest {
  /// How long the name of a consumer may be, in bytes.
  package static let consumerBytes = 128

  init(_ reader: inout RequestReader) throws(DepotError) {
    try self.init(watched: &reader)
    since = try reader.moment("since")
    until = try reader.token("until")
    limit = try reader.optionalInt("limit")
    isDescending = try reader.bool("descending", default: false)
    consumer = try reader.consumer(isRequired: false)
  }

  /// Reads which changes are wanted, but not between which moments.
  init(watched reader: inout RequestReader) throws(DepotError) {
    self.init()
    entity = try reader.optionalString("entity")
    identifiers = try reader.identifiers()
    if identifiers != nil, entity == nil {
      throw DepotError(.missingMember, "\"ids\" needs \"entity\".").at(reader.node.pointer)
    }
    properties = try reader.names("properties")
    author = try reader.optionalString("author")
    hasValues = try reader.bool("values", default: true)
  }
}

extension HistoryRowRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(
      entity: try reader.string("entity"),
      identifier: try reader.required("id").int64(),
      at: try reader.token("at")
    )
  }
}

extension HistoryPosition {
  init(_ reader: inout RequestReader) throws(DepotError) {
    guard let consumer = try reader.consumer(isRequired: true),
      let token = try reader.token("token")
    else {
      throw DepotError(.missingMember, "The member \"token\" is missing.").at(reader.node.pointer)
    }
    self.init(consumer: consumer, token: token)
  }
}

extension UndoRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init()
    let token = try reader.token("token")
    let author = try reader.optionalString("author")
    let group = try reader.optionalString("group")
    switch (token, author, group) {
    case (nil, nil, nil): target = .last
    case (let token?, nil, nil): target = .token(token)
    case (nil, let author?, nil): target = .author(author)
    case (nil, nil, let group?): target = .group(group)
    default:
      throw DepotError(.usage, "Name at most one of \"token\", \"author\", and \"group\".")
        .at(reader.node.pointer)
    }
    if let node = reader.optional("policy") {
      let text = try node.string()
      guard let policy = MergePolicy(rawValue: text) else {
        let names = MergePolicy.allCases.map(\.rawValue).joined(separator: ", ")
        throw DepotError(.usage, "There is no policy \(text.debugDescription).")
          .hint("The policies are \(names).").at(node.pointer)
      }
      self.policy = policy
    }
  }
}

extension RequestReader {
  mutating func token(_ name: StaticString) throws(DepotError) -> HistoryToken? {
    guard let node = optional(name) else { return nil }
    do {
      return try HistoryToken(node.string())
    } catch {
      throw error.at(node.pointer)
    }
  }

  mutating func moment(_ name: StaticString) throws(DepotError) -> HistoryMoment? {
    guard let node = optional(name) else { return nil }
    let text = try node.string()
    if let token = try? HistoryToken(text) { return .token(token) }
    guard let seconds = DateText.parse(text.utf8) else {
      throw DepotError(.usage, "\(text.prefix(64).debugDescription) is neither a token nor a date.")
        .hint("Tokens are like \"3f2b8c01-1042\", dates like \"2026-05-01T12:00:00Z\".")
        .at(node.pointer)
    }
    return .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  /// Reads the name of a consumer.
  mutating func consumer(isRequired: Bool) throws(DepotError) -> String? {
    guard let node = isRequired ? try required("consumer") : optional("consumer") else {
      return nil
    }
    let name = try node.string()
    guard 1...HistoryRequest.consumerBytes ~= name.utf8.count else {
      throw DepotError(
        .numberRange,
        "The name of a consumer has 1 to \(HistoryRequest.consumerBytes) bytes."
      ).at(node.pointer)
    }
    return name
  }
}

extension JSONWriter {
  /// Writes members of an object, with commas between them.
  private mutating func members(_ body: (inout ObjectMembers) -> Void) {
    var members = ObjectMembers(writer: self)
    self = JSONWriter(capacity: 0)
    body(&members)
    self = members.writer
  }

  mutating func write(_ moment: HistoryMoment) {
    switch moment {
    case .token(let token): string(token.description)
    case .date(let date): DateText.writeMoment(date.timeIntervalSinceReferenceDate, to: &self)
    }
  }

  mutating func write(_ request: HistoryRequest) {
    raw("{")
    members { members in
      if let since = request.since { members.add("since") { $0.write(since) } }
      if let until = request.until { members.add("until") { $0.string(until.description) } }
      if let entity = request.entity { members.add("entity") { $0.string(entity) } }
      if let identifiers = request.identifiers {
        members.add("ids") { $0.write(.array(identifiers.map(JSONValue.int64))) }
      }
      if let properties = request.properties { members.add("properties") { $0.names(properties) } }
      if let author = request.author { members.add("author") { $0.string(author) } }
      if let limit = request.limit { members.add("limit") { $0.integer(limit) } }
      if request.isDescending { members.add("descending") { $0.raw("true") } }
      if let consumer = request.consumer { members.add("consumer") { $0.string(consumer) } }
      if !request.hasValues { members.add("values") { $0.raw("false") } }
    }
    raw("}")
  }

  mutating func write(_ request: HistoryRowRequest) {
    raw("{\"entity\":")
    string(request.entity)
    raw(",\"id\":")
    integer(request.identifier)
    if let at = request.at {
      raw(",\"at\":")
      string(at.description)
    }
    raw("}")
  }

  mutating func write(_ position: HistoryPosition) {
    raw("{\"consumer\":")
    string(position.consumer)
    raw(",\"token\":")
    string(position.token.description)
    raw("}")
  }

  mutating func write(_ request: UndoRequest) {
    raw("{")
    members { members in
      switch request.target {
      case .last: break
      case .token(let token): members.add("token") { $0.string(token.description) }
      case .author(let author): members.add("author") { $0.string(author) }
      case .group(let group): members.add("group") { $0.string(group) }
      }
      if let policy = request.policy { members.add("policy") { $0.string(policy.rawValue) } }
    }
    raw("}")
  }
}

/// The members of an object that is being written.
private struct ObjectMembers {
  var writer: JSONWriter
  private var isFirst = true

  init(writer: JSONWriter) {
    self.writer = writer
  }

  mutating func add(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    writer.raw(isFirst ? "\"" : ",\"")
    isFirst = false
    writer.raw(name)
    writer.raw("\":")
    body(&writer)
  }
}

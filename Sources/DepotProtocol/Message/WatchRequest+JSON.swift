extension WatchRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(try Self.subject(&reader))
    if let node = reader.optional("since") {
      do {
        since = try HistoryToken(try node.string())
      } catch {
        throw error.at(node.pointer)
      }
    }
    echoes = try reader.bool("echo", default: true)
    if let node = reader.optional("onExpired") {
      guard let expiry = Expiry(rawValue: try node.string()) else {
        throw DepotError(.usage, "\"onExpired\" is \"error\" or \"snapshot\".").at(node.pointer)
      }
      onExpired = expiry
    }
    bookmarkMilliseconds = try reader.optionalInt("bookmarkMs", in: 100...86_400_000)
  }

  private static func subject(_ reader: inout RequestReader) throws(DepotError) -> Subject {
    var subjects: [Subject] = []
    if let node = reader.optional("fetch") {
      var arguments = try RequestReader(node)
      let request = try FetchRequest(&arguments)
      try arguments.finish()
      try check(request, at: node.pointer)
      subjects.append(.fetch(request))
    }
    if let node = reader.optional("count") {
      var arguments = try RequestReader(node)
      subjects.append(.count(try CountRequest(&arguments)))
      try arguments.finish()
    }
    if let node = reader.optional("aggregate") {
      var arguments = try RequestReader(node)
      subjects.append(.aggregate(try AggregateRequest(&arguments)))
      try arguments.finish()
    }
    if let node = reader.optional("history") {
      var arguments = try RequestReader(node)
      subjects.append(.history(try HistoryRequest(watched: &arguments)))
      try arguments.finish()
    }
    guard subjects.count == 1 else {
      throw DepotError(
        .usage,
        "\"watch\" has exactly one of \"fetch\", \"count\", \"aggregate\", and \"history\"."
      ).at(reader.node.pointer)
    }
    return subjects[0]
  }

  /// Checks that the rows of a fetch have identifiers and one order that is theirs.
  private static func check(_ request: FetchRequest, at pointer: String) throws(DepotError) {
    let member: String? =
      request.isDistinct
      ? "distinct" : request.sectionBy != nil ? "sectionBy" : request.after != nil ? "after" : nil
    guard let member else { return }
    throw DepotError(.usage, "A fetch with \"\(member)\" can't be watched.")
      .at(pointer + "/" + member)
  }
}

extension JSONWriter {
  mutating func write(_ request: WatchRequest) {
    switch request.subject {
    case .fetch(let fetch):
      raw("{\"fetch\":")
      write(.fetch(fetch))
    case .count(let count):
      raw("{\"count\":")
      write(.count(count))
    case .aggregate(let aggregate):
      raw("{\"aggregate\":")
      write(.aggregate(aggregate))
    case .history(let history):
      raw("{\"history\":")
      write(history)
    }
    if let since = request.since {
      raw(",\"since\":")
      string(since.description)
    }
    flag("echo", request.echoes, unless: true)
    if request.onExpired != .snapshot {
      raw(",\"onExpired\":")
      string(request.onExpired.rawValue)
    }
    number("bookmarkMs", request.bookmarkMilliseconds)
    raw("}")
  }
}

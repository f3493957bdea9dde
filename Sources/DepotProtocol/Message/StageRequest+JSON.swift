extension StageRequest {
  /// The largest number of a save: one that JSON keeps exactly.
  private static var largestNumber: Int { (1 << 53) - 1 }

  init(_ reader: inout RequestReader) throws(DepotError) {
    guard let save = try reader.optionalInt("save", in: 1...Self.largestNumber) else {
      throw DepotError(.missingMember, "The member \"save\" is missing.").at(reader.node.pointer)
    }
    self.init(save: Int64(save), .discard)
    if try reader.bool("discard", default: false) { return }
    guard let number = try reader.optionalInt("part", in: 1...1_000_000) else {
      throw DepotError(.missingMember, "The member \"part\" is missing.").at(reader.node.pointer)
    }
    var part = Part(number: number, SaveRequest())
    try part.changes.readChanges(&reader)
    if let node = reader.optional("continues") {
      let name = try node.string()
      guard let list = SaveRequest.List(rawValue: name) else {
        throw DepotError(.usage, "A save has no list \(name.debugDescription).")
          .hint("There are insert, update, delete, and read.").at(node.pointer)
      }
      part.continued = list
    }
    content = .part(part)
  }
}

extension SaveRequest.Staged {
  /// Reads which parts were staged; `nil` if there are none.
  init?(_ reader: inout RequestReader) throws(DepotError) {
    let node = reader.optional("staged")
    guard let node else { return nil }
    var members = try JSONObjectReader(node)
    self.init(
      save: try members.required("save").int64(),
      parts: try members.optionalInt("parts", in: 1...1_000_000) ?? 0
    )
    guard parts > 0 else {
      throw DepotError(.missingMember, "The member \"parts\" is missing.").at(node.pointer)
    }
    try members.finish()
  }
}

extension JSONWriter {
  mutating func write(_ request: StageRequest) {
    raw("{\"save\":")
    integer(request.save)
    switch request.content {
    case .discard: raw(",\"discard\":true")
    case .part(let part):
      raw(",\"part\":")
      integer(part.number)
      changes(part.changes)
      if let list = part.continued {
        raw(",\"continues\":")
        string(list.rawValue)
      }
    }
    raw("}")
  }

  mutating func write(_ staged: SaveRequest.Staged) {
    raw(",\"staged\":{\"save\":")
    integer(staged.save)
    raw(",\"parts\":")
    integer(staged.parts)
    raw("}")
  }
}

extension JSONWriter {
  mutating func write(_ request: BlobReadRequest) {
    entity(request.entity)
    blob(request.identifier, request.attribute)
    number("offset", request.offset == 0 ? nil : request.offset)
    number("length", request.length)
    raw("}")
  }

  mutating func write(_ request: BlobWriteRequest) {
    entity(request.entity)
    blob(request.identifier, request.attribute)
    switch request.place {
    case .whole: break
    case .offset(let offset): number("offset", offset)
    case .end: flag("append", true, unless: false)
    }
    flag("truncate", request.truncates, unless: false)
    if let upload = request.upload {
      raw(",\"upload\":")
      string(upload)
    }
    flag("final", request.isFinal, unless: false)
    raw(",\"data\":")
    string(request.data)
    raw("}")
  }

  private mutating func blob(_ identifier: Int64, _ attribute: String) {
    raw(",\"id\":")
    integer(identifier)
    raw(",\"attribute\":")
    string(attribute)
  }
}

extension BlobReadRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(
      entity: try reader.string("entity"),
      identifier: try reader.required("id").int64(),
      attribute: try reader.string("attribute"),
      offset: try reader.optionalInt("offset") ?? 0,
      length: try reader.optionalInt("length")
    )
  }
}

extension BlobWriteRequest {
  /// The longest name of an upload, in bytes.
  private static let nameBytes = 128

  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(
      entity: try reader.string("entity"),
      identifier: try reader.required("id").int64(),
      attribute: try reader.string("attribute"),
      data: try reader.optionalString("data") ?? ""
    )
    if let offset = try reader.optionalInt("offset") { place = .offset(offset) }
    if try reader.bool("append", default: false) {
      guard place == .whole else {
        throw DepotError(.usage, "\"offset\" and \"append\" exclude each other.")
          .at(reader.node.pointer)
      }
      place = .end
    }
    truncates = try reader.bool("truncate", default: false)
    upload = try reader.optionalString("upload")
    isFinal = try reader.bool("final", default: false)
    try check(at: reader.node.pointer)
  }

  private func check(at pointer: String) throws(DepotError) {
    guard let upload else {
      guard !isFinal else {
        throw DepotError(.usage, "\"final\" ends an upload, so it needs \"upload\".").at(pointer)
      }
      return
    }
    guard !upload.isEmpty, upload.utf8.count <= Self.nameBytes else {
      throw DepotError(.usage, "The name of an upload has 1 to \(Self.nameBytes) bytes.")
        .at(pointer + "/upload")
    }
    guard place != .end, !truncates else {
      throw DepotError(.usage, "An upload is written from its beginning to its end.")
        .hint("Leave out \"append\" and \"truncate\".").at(pointer)
    }
  }
}

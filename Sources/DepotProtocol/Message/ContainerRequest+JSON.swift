extension Operation {
  /// Reads the operations that are about containers; `nil` if it is none of them.
  static func container(
    _ name: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Operation? {
    if name.isString("container.open") {
      return .openContainer(try ContainerRequest(&reader))
    }
    if name.isString("container.close") {
      return .closeContainer(try reader.string("name"))
    }
    return nil
  }
}

extension ContainerRequest {
  fileprivate init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(try reader.string("name"), stores: [])
    let stores = try reader.required("stores")
    for node in try stores.elements() { self.stores.append(try ContainerStore(node)) }
    if let node = reader.optional("schema") { schema = try Schema(node) }
    keeps = try reader.bool("keep", default: false)
    try validate()
  }
}

extension ContainerStore {
  fileprivate init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    let file = try reader.optionalString("file")
    let path = try reader.optionalString("path")
    let isInMemory = try reader.bool("memory", default: false)
    let location: Location
    switch (file, path, isInMemory) {
    case (let file?, nil, false): location = .file(file)
    case (nil, let path?, false): location = .path(path)
    case (nil, nil, true): location = .memory
    default:
      throw DepotError(.usage, "A store has exactly one of \"file\", \"path\" and \"memory\".")
        .at(node.pointer)
    }
    self.init(
      location,
      name: try reader.optionalString("name") ?? "main",
      isReadOnly: try reader.bool("readOnly", default: false)
    )
    if let names = reader.optional("entities") {
      var entities: [String] = []
      for name in try names.elements() { entities.append(try name.string()) }
      self.entities = entities
    }
    try reader.finish()
  }
}

extension JSONWriter {
  /// Writes the arguments of `container.open`.
  mutating func write(_ request: ContainerRequest) {
    raw("{\"name\":")
    string(request.name)
    raw(",\"stores\":[")
    for (index, store) in request.stores.enumerated() {
      if index > 0 { raw(",") }
      write(store)
    }
    raw("]")
    if let schema = request.schema {
      raw(",\"schema\":")
      write(schema)
    }
    raw(request.keeps ? ",\"keep\":true}" : "}")
  }

  private mutating func write(_ store: ContainerStore) {
    raw("{\"name\":")
    string(store.name)
    switch store.location {
    case .memory: raw(",\"memory\":true")
    case .file(let name):
      raw(",\"file\":")
      string(name)
    case .path(let path):
      raw(",\"path\":")
      string(path)
    }
    if store.isReadOnly { raw(",\"readOnly\":true") }
    if let entities = store.entities {
      raw(",\"entities\":")
      names(entities)
    }
    raw("}")
  }
}

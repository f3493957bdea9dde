internal import DepotClientCore
internal import DepotProtocol

/// The export of an entity's rows, in a form that any store can import.
struct EntityExport {
  /// A column as it is fetched and as it is written.
  struct Column: Equatable {
    /// The form that the values are written in.
    enum Form: Equatable {
      /// The values are written as they are.
      case value
      /// The values are written as JSON, even texts, because a field of CSV is always text.
      case json
      /// The values are identifiers, and are written as natural keys of the rows.
      case keys(Relationship)
      /// The values are identifiers, and are written together with the rows' store.
      case identifiers(Relationship)
    }

    /// The name in the file.
    var name: String
    /// The path that is fetched.
    var path: String
    var form = Form.value
    /// Whether values may be too large for their rows.
    var mayBeLarge = false
    /// The place of the selected name that the column comes from.
    var place = 0
  }

  /// The rows of one entity.
  struct Part: Equatable {
    var entity: String
    var columns: [Column]
  }

  /// The entity itself and its subentities, without abstract ones.
  private(set) var parts: [Part] = []
  private let request: FetchRequest
  private let schema: Schema
  /// The identifier of the store of each entity.
  private let stores: [String: String]
  /// Whether all rows have the same columns, under one header.
  private let hasHeader: Bool

  /// Plans an export of the rows that a request describes.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity`.
  init(
    _ request: FetchRequest,
    _ schema: Schema,
    stores: [String: String],
    format: OutputFormat
  ) throws(DepotError) {
    self.request = request
    self.schema = schema
    self.stores = stores
    hasHeader = format != .json && format != .ndjson
    let entity = try schema.entity(named: request.entity)
    var entities = [entity]
    if request.includesSubentities { entities += schema.descendants(of: entity.name) }
    let concrete = entities.filter { !$0.isAbstract }
    let plan = ExportPlan(schema)
    let chosen = concrete.isEmpty ? [entity] : concrete
    for entity in chosen {
      let file = plan.files.first { $0.entity == entity.name }
      let attributes = file?.attributes ?? []
      let all = attributes + (file?.relationships ?? []).map(\.name)
      let names =
        request.select.map { names in
          names.filter { name in
            Self.has(name, entity, schema) || !chosen.contains { Self.has(name, $0, schema) }
          }
        } ?? all
      var columns: [Column] = []
      for (place, name) in (request.select ?? all).enumerated() where names.contains(name) {
        // A selected composite has a column for each of its parts.
        let paths = attributes.filter { $0 == name || $0.hasPrefix(name + ".") }
        for path in paths.isEmpty ? [name] : paths
        where !columns.contains(where: { $0.name == path }) {
          columns.append(try Self.column(path, of: entity, schema, hasHeader))
          columns[columns.count - 1].place = place
        }
      }
      parts.append(Part(entity: entity.name, columns: columns))
    }
  }

  /// Whether an entity has the first property of a path.
  private static func has(_ path: String, _ entity: Entity, _ schema: Schema) -> Bool {
    let first = path.split(separator: ".").first.map(String.init) ?? path
    return schema.relationships(of: entity).contains { $0.name == first }
      || schema.attributes(of: entity).contains { $0.name == first }
  }

  private static func column(
    _ name: String,
    of entity: Entity,
    _ schema: Schema,
    _ isText: Bool
  ) throws(DepotError) -> Column {
    if let relationship = schema.relationships(of: entity).first(where: { $0.name == name }) {
      let destination = try schema.entity(named: relationship.destination)
      guard let key = NaturalKey(of: destination, schema) else {
        return Column(name: name, path: name, form: .identifiers(relationship))
      }
      return relationship.isToMany
        ? Column(name: name, path: name, form: .keys(relationship))
        : Column(name: name, path: "\(name).\(key.path)")
    }
    let attribute = schema.fields(of: entity).first { $0.path == name }?.attribute
    let isJSON = isText && attribute?.type == .json && attribute?.collection == nil
    return Column(
      name: name,
      path: name,
      form: isJSON ? .json : .value,
      mayBeLarge: attribute?.mayBeLarge ?? false
    )
  }

  /// Whether each row names its entity.
  private var namesEntities: Bool { parts.contains { $0.entity != request.entity } }

  /// The destinations whose natural keys must be known.
  private var destinations: Set<String> {
    Set(
      parts.flatMap(\.columns).compactMap { column in
        if case .keys(let relationship) = column.form { relationship.destination } else { nil }
      }
    )
  }

  /// Writes the rows, from one snapshot by default even if they take several requests.
  ///
  /// - Throws: ``DepotError`` `stream.expired` if the service doesn't keep the snapshot long
  ///   enough.
  func write(
    _ style: RowStyle,
    _ connection: BlockingConnection,
    _ session: CommandSession,
    isOneMoment: Bool
  ) throws {
    let isPlain =
      parts.count == 1 && !namesEntities
      && parts[0].columns.allSatisfy { $0.form == .value && $0.name == $0.path }
    if isPlain {
      var request = request
      request.select = parts[0].columns.map(\.path)
      _ = try parts[0].naming {
        try RowStream.write(
          .fetch(request),
          style,
          connection,
          session,
          hasIdentity: true,
          check: parts[0].check
        )
      }
    } else {
      let isOneMoment = isOneMoment && (parts.count > 1 || !destinations.isEmpty)
      try WholeStore.read(connection, isOneMoment: isOneMoment) {
        try writeParts(style, $0, session)
      }
    }
  }

  private func writeParts(
    _ style: RowStyle,
    _ connection: BlockingConnection,
    _ session: CommandSession
  ) throws {
    var names = ReferenceNames()
    for name in destinations.sorted() {
      guard let key = NaturalKey(of: try schema.entity(named: name), schema) else { continue }
      try names.add(name, key) { try WholeStore.fetch($0, connection, $1) }
    }
    let printer = style.printer(to: session.output)
    let meter = session.meter(ofOutput: true)
    defer { meter.finish() }
    var count = 0
    var writer = ExportedRows(names: names, stores: stores, printer: printer)
    if hasHeader { try writer.begin(union) }
    try printer.writing {
      for (index, part) in parts.enumerated() {
        guard let request = try request(part, written: count, parts[..<index], connection) else {
          continue
        }
        _ = try RowStream.counting({ count }, in: session.output) {
          try part.naming {
            try connection.send(.fetch(request)) { frame in
              if let columns = frame.columns {
                writer.read(columns, of: part, names: namesEntities)
              }
              if frame.columns != nil, !hasHeader { try writer.begin(writer.columns) }
              count += try writer.write(frame)
              meter.update(rows: count)
            }
          }
        }
      }
      if !hasHeader, count == 0 { try writer.begin(union) }
    }
    try session.output.flush()
    meter.finish()
    if style.format.isTable { RowStream.sayCount(count, printer, session) }
  }

  /// The names of the columns of all parts.
  private var union: [String] {
    var result = namesEntities ? ["$entity"] : []
    for column in parts.flatMap(\.columns) where !result.contains(column.name) {
      result.append(column.name)
    }
    return result
  }

  /// Returns the request for the rows of a part; `nil` if there are enough rows already.
  private func request(
    _ part: Part,
    written: Int,
    _ earlier: ArraySlice<Part>,
    _ connection: BlockingConnection
  ) throws -> FetchRequest? {
    var request = request
    request.select = part.columns.map(\.path)
    guard namesEntities else { return request }
    request.entity = part.entity
    request.includesSubentities = false
    if let limit = request.limit {
      guard limit > written else { return nil }
      request.limit = limit - written
    }
    for part in earlier where request.offset > 0 {
      var count = CountRequest(entity: part.entity)
      count.predicate = request.predicate
      count.includesSubentities = false
      request.offset = max(0, request.offset - (try connection.count(count)))
    }
    return request
  }
}

extension EntityExport.Part {
  /// Runs `body`, which fetches the columns; an error names the place in the selection.
  fileprivate func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch var error as DepotError {
      var steps = error.at?.split(separator: "/") ?? []
      if let number = steps.popLast().flatMap({ Int($0) }), steps.last == "select",
        columns.indices.contains(number)
      {
        error.at = "/select/\(columns[number].place)"
      }
      throw error
    }
  }

  /// - Throws: ``DepotError`` `limit.value_bytes` if a row has only the length of a value.
  fileprivate func check(_ frame: RowFrame) throws {
    // Nearly no frame has one, and this is much faster than reading the values.
    guard frame.bytes.contains("{\"$length\":".utf8) else { return }
    try frame.withRows(hasIdentity: true) { row in
      for column in columns {
        let field = try row.field()
        if column.mayBeLarge, field.kind == .object {
          throw DepotError.tooLargeForExport("\(entity)/\(row.identifier)", column.name)
        }
      }
    }
  }
}

extension [UInt8] {
  /// Whether a text is among the bytes.
  fileprivate func contains(_ text: String.UTF8View) -> Bool {
    let wanted = Array(text)
    return withUnsafeBufferPointer { bytes in
      for start in 0..<Swift.max(0, bytes.count - wanted.count + 1) where bytes[start] == wanted[0]
      {
        if bytes[start..<start + wanted.count].elementsEqual(wanted) { return true }
      }
      return false
    }
  }
}

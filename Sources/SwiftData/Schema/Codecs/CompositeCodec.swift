internal import DepotProtocol

/// The codec of a structure whose parts have columns of their own, named as it encodes them.
///
/// A structure that decodes itself as the compiler does is read by its properties in memory.
final class CompositeCodec<Content: Codable>: AttributeCodec {
  /// The nesting depth of composites that the service accepts.
  private static var depthLimit: Int { 4 }

  private let fields: [CompositeField]
  private let shape: PartsShape<Content>

  /// Returns `nil` if the structure has parts that can't be stored so.
  init?(_ type: Content.Type) {
    guard let stored = StoredField.all(of: type), !stored.isEmpty,
      let shape = PartsShape(type, stored.enumerated().map { CompositeField.make($1, $0) })
    else { return nil }
    var names: Set<String> = []
    for field in shape.fields {
      guard Self.isUsable(field.name), !field.isSecret,
        names.insert(NameSyntax.folded(field.name)).inserted, field.codec.problem == nil
      else { return nil }
    }
    fields = shape.fields
    guard (fields.map(\.codec.depth).max() ?? 0) < Self.depthLimit else { return nil }
    self.shape = shape
  }

  private static func isUsable(_ name: String) -> Bool {
    !name.hasPrefix("_") && NameSyntax.isUsable(NameSyntax.normalized(name))
  }

  override var attribute: Attribute {
    Attribute(name: "", type: .composite, properties: fields.map(part) + shape.left.map(left))
  }

  private func part(_ field: CompositeField) -> Attribute {
    var attribute = field.codec.attribute
    attribute.name = field.name
    if field.property != field.name, !fields.contains(where: { $0.name == field.property }) {
      attribute.originalName = field.property
    }
    if var values = shape.defaults[field.position]?[...] { attribute.setDefaults(&values) }
    return attribute
  }

  override var defaultProblem: (part: String, cause: any Error)? {
    for field in fields {
      if let cause = shape.badDefaults[field.position] { return (field.name, cause) }
      if let inner = field.codec.defaultProblem {
        return ("\(field.name).\(inner.part)", inner.cause)
      }
    }
    return nil
  }

  /// Returns the value of a property that the structure doesn't encode and no store keeps.
  private func left(_ name: String) -> Attribute {
    var attribute = Attribute(name: name, type: .json, isOptional: true)
    attribute.options = .transient
    return attribute
  }

  override var depth: Int { 1 + (fields.map(\.codec.depth).max() ?? 0) }
  override var suffixes: [String] {
    fields.flatMap { field in field.codec.suffixes.map { ".\(field.name)\($0)" } }
  }

  override var placeholder: Any {
    guard shape.isSynthesized else { return Placeholder.of(Content.self) ?? shape.sample }
    return (try? make { field in field.codec.placeholder }) ?? ()
  }

  // MARK: - Reading

  override func read(_ row: inout RowReader) throws -> Any {
    if shape.isSynthesized { return try make { field in try field.codec.read(&row) } }
    var parts: [String: Any] = [:]
    var isEmpty = true
    for field in fields {
      let part = try field.codec.read(&row)
      if !field.codec.areEqual(part, field.codec.placeholder) { isEmpty = false }
      if !field.isOptional || !isNil(part) { parts[field.name] = part }
    }
    do {
      return try Content(from: PartsDecoder(Set(parts.keys)) { _, name in parts[name] })
    } catch {
      // In a copy that is being migrated there may be no value yet.
      if isEmpty { return placeholder }
      throw SwiftDataError(.storeFailure, "A \(Content.self) can't be decoded: \(error)")
    }
  }

  // MARK: - Writing

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    guard shape.isSynthesized else { return try encoded(value) }
    return try withUnsafeBytes(of: value) { bytes in
      guard let start = bytes.baseAddress else { return [] }
      return try fields.flatMap { try $0.codec.values($0.load(from: start)) }
    }
  }

  override func write(_ value: Any, to row: inout RowWriter) throws {
    for value in try encoded(cast(value, to: Content.self)) { row.append(value) }
  }

  /// Returns the values of the columns as the structure encodes itself.
  private func encoded(_ value: Content) throws -> [Value] {
    let parts: [PartsEncoder.Part]?
    do {
      parts = try PartsEncoder.parts(of: value)
    } catch {
      throw SwiftDataError(.modelValidationFailure, "A \(Content.self) can't be encoded: \(error)")
    }
    guard let parts, parts.count <= fields.count else { throw unexpected }
    var result: [Value] = []
    var count = 0
    for field in fields {
      // Most come in the order of the properties.
      let part =
        count < parts.count && parts[count].name == field.name
        ? parts[count] : parts.first { $0.name == field.name }
      if let part {
        count += 1
        result += try field.codec.values(part.value)
      } else if field.isOptional {
        result += try field.codec.values(field.codec.placeholder)
      } else {
        throw unexpected
      }
    }
    guard count == parts.count else { throw unexpected }
    return result
  }

  private var unexpected: SwiftDataError {
    SwiftDataError(
      .modelValidationFailure,
      "A \(Content.self) encodes itself as other parts than usual.",
      hint: "Mark properties of the type with @Attribute(.codable)."
    )
  }

  // MARK: - Parts

  override func extend(_ keyPath: AnyKeyPath) -> [(AnyKeyPath, String)] {
    let members = StoredField.keyPaths(of: Content.self)
    return fields.flatMap { field in
      guard field.position < members.count,
        let whole = keyPath.appending(path: members[field.position])
      else { return [(AnyKeyPath, String)]() }
      return [(whole, field.name)]
        + field.codec.extend(whole).map { ($0, "\(field.name).\($1)") }
    }
  }

  /// Makes a value from the values of its fields.
  private func make(_ value: (CompositeField) throws -> Any) throws -> Any {
    let buffer = Buffer(Content.self)
    for field in fields {
      try field.store(value(field), in: buffer.memory)
      buffer.initialized.append(field)
    }
    return buffer.take(Content.self)
  }

  /// Memory for a value under construction; the fields of an unfinished value are destroyed with
  /// it.
  private final class Buffer {
    let memory: UnsafeMutableRawPointer
    var initialized: [CompositeField] = []

    init(_: Content.Type) {
      memory = .allocate(
        byteCount: max(1, MemoryLayout<Content>.stride),
        alignment: MemoryLayout<Content>.alignment
      )
    }

    /// Moves the value out.
    func take(_: Content.Type) -> Content {
      initialized = []
      return memory.assumingMemoryBound(to: Content.self).move()
    }

    deinit {
      for field in initialized { field.destroy(in: memory) }
      memory.deallocate()
    }
  }
}

/// One stored property of a structure, with its codec.
class CompositeField {
  /// The name of the property.
  let property: String
  /// The name that the structure encodes it by.
  var name: String
  /// The position among the properties.
  let position: Int
  let type: Any.Type
  let offset: Int
  let codec: AttributeCodec

  var isOptional: Bool { type is any OptionalType.Type }
  /// Whether the property is the storage of a lazy or wrapped one.
  var isSecret: Bool { property.hasPrefix("_") || property.hasPrefix("$") }

  fileprivate init(_ field: StoredField, _ position: Int, _ codec: AttributeCodec) {
    property = field.name
    name = field.name
    self.position = position
    type = field.type
    offset = field.offset
    self.codec = codec
  }

  /// Returns the field for a property.
  static func make(_ field: StoredField, _ position: Int) -> CompositeField {
    func open<Content>(_: Content.Type) -> CompositeField { TypedField<Content>(field, position) }
    return open(field.type)
  }

  /// Reads the property of a structure.
  func value(of content: some Any) -> Any {
    withUnsafeBytes(of: content) { bytes in bytes.baseAddress.map(load) ?? () }
  }

  func store(_ value: Any, in memory: UnsafeMutableRawPointer) throws {}
  func load(from memory: UnsafeRawPointer) -> Any { () }
  func destroy(in memory: UnsafeMutableRawPointer) {}
}

/// A field of a known type.
private final class TypedField<Content>: CompositeField {
  init(_ field: StoredField, _ position: Int) {
    super.init(field, position, .of(Content.self, nil))
  }

  override func store(_ value: Any, in memory: UnsafeMutableRawPointer) throws {
    let value = try cast(value, to: Content.self)
    (memory + offset).initializeMemory(as: Content.self, to: value)
  }

  override func load(from memory: UnsafeRawPointer) -> Any {
    (memory + offset).assumingMemoryBound(to: Content.self).pointee
  }

  override func destroy(in memory: UnsafeMutableRawPointer) {
    (memory + offset).assumingMemoryBound(to: Content.self).deinitialize(count: 1)
  }
}

internal import DepotProtocol

/// The codec of a structure whose stored properties have columns of their own.
///
/// It reads and writes the properties where they are in memory.
// because codecs are immutable
final class CompositeCodec<Content>: AttributeCodec, @unchecked Sendable {
  /// How deep the service takes composites in composites.
  private static var depthLimit: Int { 4 }

  private let fields: [CompositeField]

  /// Returns `nil` if the structure has properties that can't be stored so.
  init?(_ type: Content.Type) {
    guard let stored = StoredField.all(of: type), !stored.isEmpty else { return nil }
    var fields: [CompositeField] = []
    var names: Set<String> = []
    for field in stored {
      guard Self.isUsable(field.name), names.insert(NameSyntax.folded(field.name)).inserted,
        let field = CompositeField.make(field), field.codec.problem == nil
      else { return nil }
      fields.append(field)
    }
    guard (fields.map(\.codec.depth).max() ?? 0) < Self.depthLimit else { return nil }
    self.fields = fields
  }

  /// Whether a property can have a column of its name; those with an underscore are somebody's secret.
  private static func isUsable(_ name: String) -> Bool {
    !name.hasPrefix("_") && NameSyntax.isUsable(NameSyntax.normalized(name))
  }

  override var attribute: Attribute {
    Attribute(
      name: "",
      type: .composite,
      properties: fields.map { field in
        var attribute = field.codec.attribute
        attribute.name = field.name
        return attribute
      }
    )
  }

  override var depth: Int { 1 + (fields.map(\.codec.depth).max() ?? 0) }
  override var suffixes: [String] {
    fields.flatMap { field in field.codec.suffixes.map { ".\(field.name)\($0)" } }
  }

  override var placeholder: Any {
    (try? make { field in field.codec.placeholder }) ?? ()
  }

  override func read(_ row: inout RowReader) throws -> Any {
    try make { field in try field.codec.read(&row) }
  }

  override func values(_ value: Any) throws -> [Value] {
    let value = try cast(value, to: Content.self)
    return try withUnsafeBytes(of: value) { bytes in
      guard let start = bytes.baseAddress else { return [] }
      return try fields.flatMap { try $0.codec.values($0.load(from: start)) }
    }
  }

  override func extend(_ keyPath: AnyKeyPath) -> [(AnyKeyPath, String)] {
    zip(StoredField.keyPaths(of: Content.self), fields).flatMap { member, field in
      guard let whole = keyPath.appending(path: member) else { return [(AnyKeyPath, String)]() }
      return [(whole, field.name)]
        + field.codec.extend(whole).map { ($0, "\(field.name).\($1)") }
    }
  }

  /// Makes a value of those that its fields get.
  private func make(_ value: (CompositeField) throws -> Any) throws -> Any {
    let buffer = Buffer(Content.self)
    for field in fields {
      try field.store(value(field), in: buffer.memory)
      buffer.initialized.append(field)
    }
    return buffer.take(Content.self)
  }

  /// Memory for a value that is being made; what is there of one that isn't finished goes with it.
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
  let name: String
  let offset: Int
  let codec: AttributeCodec

  fileprivate init(_ field: StoredField, _ codec: AttributeCodec) {
    name = field.name
    offset = field.offset
    self.codec = codec
  }

  /// Returns the field for a property; `nil` if the structure and its property disagree.
  static func make(_ field: StoredField) -> CompositeField? {
    func open<Content>(_: Content.Type) -> CompositeField { TypedField<Content>(field) }
    return open(field.type)
  }

  func store(_ value: Any, in memory: UnsafeMutableRawPointer) throws {}
  func load(from memory: UnsafeRawPointer) -> Any { () }
  func destroy(in memory: UnsafeMutableRawPointer) {}
}

/// A field of which the type is known.
private final class TypedField<Content>: CompositeField {
  init(_ field: StoredField) { super.init(field, .of(Content.self, nil)) }

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

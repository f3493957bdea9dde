extension Schema {
  /// Combinations of properties that are unique, as `#Unique` declares them.
  // because it is changed only while a schema is built
  public final class Unique<T: PersistentModel>: SchemaProperty, SchemaConstraint,
    CustomDebugStringConvertible, @unchecked Sendable
  {
    /// The combinations.
    public let constraints: [[PartialKeyPath<T>]]
    public var name = "SwiftData.Schema.Unique"
    public var originalName = ""
    public var valueType: any Any.Type = [[PartialKeyPath<T>]].self

    /// The keys of an encoded form.
    public enum CodingKeys: CodingKey { case constraints }

    /// Creates the metadata of some combinations.
    public init(_ constraints: [PartialKeyPath<T>]...) { self.constraints = constraints }

    /// The combinations can't be decoded, since the names of key paths are the program's.
    public init(from decoder: any Decoder) throws { constraints = [] }
    public func encode(to encoder: any Encoder) throws {}

    public var debugDescription: String { "Unique<\(T.self)>(\(constraints))" }
    public var isAttribute: Bool { false }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { false }
    public var isOptional: Bool { false }
    public var isUnique: Bool { true }

    public static func == (left: Unique, right: Unique) -> Bool {
      left.constraints == right.constraints
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(constraints) }

    var model: Any.Type { T.self }
    var combinations: [(SchemaConstraintPurpose, [AnyKeyPath])] {
      constraints.map { (.unique, $0) }
    }
  }

  /// Indexes over properties, as `#Index` declares them.
  // because it is changed only while a schema is built
  public final class Index<T: PersistentModel>: SchemaProperty, SchemaConstraint,
    CustomDebugStringConvertible, @unchecked Sendable
  {
    /// The kinds of indexes.
    public enum Types<P: PersistentModel>: Hashable {
      /// An index that keeps an order.
      case binary([PartialKeyPath<P>])
      /// An index for ranges of several numbers.
      case rtree([PartialKeyPath<P>])
    }

    /// The indexes.
    public let indices: [Types<T>]
    public var name = "SwiftData.Schema.Index"
    public var originalName = ""
    public var valueType: any Any.Type = [Types<T>].self

    /// The keys of an encoded form.
    public enum CodingKeys: CodingKey { case indices }

    /// Creates the metadata of indexes that keep an order.
    public init(_ indices: [PartialKeyPath<T>]...) {
      self.indices = indices.map { .binary($0) }
    }

    /// Creates the metadata of indexes of some kinds.
    public init(_ indices: Types<T>...) { self.indices = indices }

    /// The indexes can't be decoded, since the names of key paths are the program's.
    public init(from decoder: any Decoder) throws {
      indices = []
    }
    public func encode(to encoder: any Encoder) throws {}

    public var debugDescription: String { "Index<\(T.self)>(\(indices))" }
    public var isAttribute: Bool { false }
    public var isRelationship: Bool { false }
    public var isTransient: Bool { false }
    public var isOptional: Bool { false }
    public var isUnique: Bool { false }

    public static func == (left: Index, right: Index) -> Bool { left.indices == right.indices }
    public func hash(into hasher: inout Hasher) { hasher.combine(indices) }

    var model: Any.Type { T.self }
    var combinations: [(SchemaConstraintPurpose, [AnyKeyPath])] {
      indices.map { index in
        switch index {
        case .binary(let keyPaths): (.index, keyPaths)
        case .rtree(let keyPaths): (.rangeIndex, keyPaths)
        }
      }
    }
  }
}

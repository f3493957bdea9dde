public import DepotProtocol

/// A Sendable type whose values are rows of one entity.
///
/// Say which attribute each property is, and read and write the values in that order:
///
/// ```swift
/// struct Package: Record {
///   var id: Identifier<Package>?
///   var name: String
///   var section: String?
///   var maintainer: Related<Maintainer>?
///
///   static let entity = "Package"
///   static let attributes: RecordAttributes<Package> = [
///     .identifier(\.id), .init(\.name, "name", isUnique: true), .init(\.section, "section"),
///     .toOne(\.maintainer, "maintainer", inverse: \Maintainer.packages),
///   ]
///
///   init(from row: inout RowReader) throws(DepotError) {
///     id = Identifier(row.identifier)
///     name = try row.next()
///     section = try row.next()
///     maintainer = try row.next()
///   }
///
///   func write(to row: inout RowWriter) {
///     row.append(name)
///     row.append(section)
///     row.append(maintainer)
///   }
/// }
/// ```
///
/// No `Codable` is involved: values go straight from the bytes of a frame into the properties. A
/// final class whose properties are constants does as well as a structure.
public protocol Record: RowConvertible {
  /// The name of the entity.
  static var entity: String { get }

  /// The record of the entity whose attributes and relationships this one has too; `nil` if there
  /// is none.
  static var parent: (any Record.Type)? { get }

  /// Adds to a schema's entity the facts that ``RowConvertible/attributes`` lacks.
  ///
  /// These are indexes, combinations that are unique, whether it is abstract, and its earlier name.
  static func define(_ entity: inout Entity)
}

extension Record {
  public static var parent: (any Record.Type)? { nil }
  public static func define(_ entity: inout Entity) {}
}

/// A Sendable type whose properties are values of a row.
public protocol RowConvertible: Sendable {
  /// The attributes and relationships that the type has, in the order of reading and writing.
  ///
  /// Declare it as a `static let`, so that it is built once.
  static var attributes: RecordAttributes<Self> { get }

  /// Reads the values of a row, all of them and in the order of ``attributes``.
  ///
  /// `row.identifier` and `row.version` are there already.
  ///
  /// - Throws: ``DepotError`` `request.type` if a value isn't of the property's type.
  init(from row: inout RowReader) throws(DepotError)

  /// Writes the values of a row, all of them and in the order of ``attributes``.
  func write(to row: inout RowWriter)
}

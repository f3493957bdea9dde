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
///
///   static let entity = "Package"
///   static let attributes: RecordAttributes<Package> = [
///     .identifier(\.id), .init(\.name, "name"), .init(\.section, "section"),
///   ]
///
///   init(from row: inout RowReader) throws(DepotError) {
///     id = Identifier(row.identifier)
///     name = try row.next()
///     section = try row.next()
///   }
///
///   func write(to row: inout RowWriter) {
///     row.append(name)
///     row.append(section)
///   }
/// }
/// ```
///
/// No `Codable` is involved: values go straight from the bytes of a frame into the properties. A
/// final class whose properties are constants does as well as a structure.
public protocol Record: Sendable {
  /// The name of the entity.
  static var entity: String { get }

  /// The attributes that the type has, in the order in which it reads and writes them.
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

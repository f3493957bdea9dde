internal import DepotProtocol

/// How the values of one Swift type are stored in columns.
class AttributeCodec {
  /// The attribute without its name: the type, and the parts of a composite.
  var attribute: Attribute { preconditionFailure("abstract") }

  /// The form of the stored values as the end of a sentence, if the store can't compare them; else `nil`.
  var opaqueForm: String? { attribute.type == .json ? "as JSON" : nil }

  /// Why the values can't be stored, as a sentence; `nil` if they can.
  var problem: String? { nil }

  /// The first part of a composite whose default can't be stored, and why; `nil` if there is none.
  var defaultProblem: (part: String, cause: any Error)? { nil }

  /// The suffixes of the columns' names after the property's: "" for the only column, ".city" for a
  /// part of a composite.
  var suffixes: [String] { [""] }

  /// A stand-in for an unavailable value.
  var placeholder: Any { preconditionFailure("abstract") }

  /// A stand-in where there is no placeholder either; `nil` if none can be made.
  var lastResort: Any? { nil }

  /// Reads the value of the columns; the placeholder if it is missing, as it may be in a migration.
  func read(_ row: inout RowReader) throws -> Any { preconditionFailure("abstract") }

  /// Reads the value of the columns as an object holds it.
  func cell(_ row: inout RowReader) throws -> AttributeCell { AttributeCell(any: try read(&row)) }

  /// Returns the values of the columns.
  func values(_ value: Any) throws -> [Value] { preconditionFailure("abstract") }

  /// Writes the values of the columns.
  func write(_ value: Any, to row: inout RowWriter) throws {
    for value in try values(value) { row.append(value) }
  }

  /// Writes the values of the columns, of a value that an object holds.
  func write(_ cell: AttributeCell, to row: inout RowWriter) throws {
    try write(cell.any, to: &row)
  }

  /// Whether two values that objects hold are stored alike.
  func areEqual(_ left: AttributeCell, _ right: AttributeCell) -> Bool {
    areEqual(left.any, right.any)
  }

  /// Whether two values are stored alike.
  func areEqual(_ left: Any, _ right: Any) -> Bool {
    guard let first = try? values(left), let second = try? values(right) else { return false }
    if first.count != second.count { return false }
    if zip(first, second).allSatisfy({ $0.isIdentical(to: $1) }) { return true }
    // JSON has sets, and dictionaries of most keys, in the order that they happen to have.
    let areAlikeBesideJSON = zip(first, second).allSatisfy { first, second in
      first.type == .json && second.type == .json || first.isIdentical(to: second)
    }
    return areAlikeBesideJSON && OrderlessEncoder.areAlike(left, right)
  }

  /// The nesting depth of composites.
  var depth: Int { 0 }

  /// Returns key paths that begin with one of this type and lead to its parts, with their names, as `city`
  /// or `geo.latitude`.
  func extend(_ keyPath: AnyKeyPath) -> [(AnyKeyPath, String)] { [] }
}

extension AttributeCodec {
  /// Returns the values of the columns as JSON.
  func texts(of value: Any) throws -> [String] { try values(value).map(\.jsonText) }

  /// Reads the value of columns that are encoded as JSON.
  func value(of texts: [[UInt8]]) throws -> Any {
    let bytes = Array("[[".utf8) + texts.joined(separator: ",".utf8) + "]]".utf8
    return try bytes.withUnsafeBufferPointer { bytes -> Any in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let value = try read(&reader)
      try reader.endRow()
      return value
    }
  }
}

/// The codec of a type whose values can't be stored, which a container refuses.
final class UnstorableCodec: AttributeCodec {
  private let reason: String

  init(_ reason: String) { self.reason = reason }

  override var attribute: Attribute { Attribute(name: "", type: .json, isOptional: true) }
  override var problem: String? { reason }
  override var placeholder: Any { () }
  override func read(_ row: inout RowReader) throws -> Any { throw failure }
  override func values(_ value: Any) throws -> [Value] { throw failure }

  private var failure: SwiftDataError { SwiftDataError(.modelValidationFailure, reason) }
}

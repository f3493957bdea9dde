package import DepotProtocol

/// The columns of an entity's rows that may have only the length of a value.
package struct LargeColumns: Sendable {
  let entity: String
  private let names: [String]
  /// Whether a property wants the whole value, for each column.
  private let areWanted: [Bool]

  package init<Model: Record>(of model: Model.Type) {
    entity = Model.entity
    names = Model.attributes.names
    areWanted = Model.areLargeColumns
  }

  /// Returns the path of a column whose value must be read on its own; `nil` for others.
  func path(of column: Int, with value: [UInt8]) -> String? {
    guard names.indices.contains(column), areWanted[column], value.first == UInt8(ascii: "{")
    else { return nil }
    return names[column]
  }
}

extension RowConvertible {
  /// Whether a property wants the whole of large values, for each column.
  fileprivate static var areLargeColumns: [Bool] {
    attributes.all.flatMap { attribute in
      switch attribute.content {
      case .identifier, .version: [Bool]()
      case .relationship: [false]
      case .attribute(let content): [!attribute.readsLength && content.isTextOrData]
      case .composite(let type, let isOptional):
        (isOptional ? [false] : []) + type.areLargeColumns
      }
    }
  }
}

extension Attribute {
  fileprivate var isTextOrData: Bool { collection == nil && (type == .string || type == .data) }
}

extension RowReader {
  /// Moves past the values of the row that weren't read.
  package mutating func skipRest() throws(DepotError) {
    while !isAtEndOfRow() { _ = try text() }
  }
}

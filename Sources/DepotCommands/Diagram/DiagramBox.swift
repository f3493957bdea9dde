internal import DepotProtocol

/// An entity as a box of lines, all measured in columns of a terminal.
struct DiagramBox: Equatable {
  /// A line of the box.
  enum Line: Equatable {
    /// The upper or lower edge.
    case edge
    /// The line between two parts.
    case separator
    /// The name of the entity, with a note on its kind.
    case title(String, note: String)
    /// Columns of text.
    case cells([String])
  }

  private(set) var lines: [Line]
  /// The widths of the columns of the cells.
  private(set) var widths = [0, 0, 0]
  /// The line of each of the entity's own relationships.
  private(set) var relationshipRows: [String: Int] = [:]

  /// The line where inheritance begins and ends.
  static let titleRow = 1
  /// The line where relationships end that have no inverse.
  static let entranceRow = 2

  init(_ entity: Entity) {
    var words: [String] = []
    if entity.isAbstract { words.append("abstract") }
    if let parent = entity.parent { words.append("is a \(parent)") }
    lines = [.edge, .title(entity.name, note: words.joined(separator: ", ")), .separator]
    for attribute in entity.attributes { add(attribute, indentation: "") }
    if !entity.relationships.isEmpty, lines.count > 3 { lines.append(.separator) }
    for relationship in entity.relationships {
      relationshipRows[relationship.name] = lines.count
      let rule = relationship.deleteRule
      add([
        relationship.name, SchemaText.type(relationship),
        ((relationship.isOrdered ? ["ordered"] : [])
          + (rule == .nullify ? [] : [rule.rawValue])).joined(separator: " "),
      ])
    }
    lines.append(.edge)
  }

  private mutating func add(_ attribute: Attribute, indentation: String) {
    add([
      indentation + attribute.name, SchemaText.type(attribute),
      SchemaText.flags(attribute).joined(separator: " "),
    ])
    for part in attribute.properties { add(part, indentation: indentation + "  ") }
  }

  private mutating func add(_ cells: [String]) {
    for (column, cell) in cells.enumerated() {
      widths[column] = max(widths[column], TextWidth.columns(cell))
    }
    lines.append(.cells(cells))
  }

  var height: Int { lines.count }

  /// The width with both edges and the space inside of them.
  var width: Int {
    var content = widths.reduce(0) { $0 + ($1 > 0 ? $1 + Self.gap : 0) } - Self.gap
    if case .title(let name, let note) = lines[Self.titleRow] {
      let rest = note.isEmpty ? 0 : Self.gap + TextWidth.columns(note)
      content = max(content, TextWidth.columns(name) + rest)
    }
    return content + 4
  }

  /// Returns the offset of a column's cells from the left edge, in characters.
  func offset(ofColumn column: Int) -> Int {
    widths.prefix(column).reduce(2) { $0 + ($1 > 0 ? $1 + Self.gap : 0) }
  }

  private static let gap = 2
}

internal import DepotProtocol

/// A diagram in the language of Mermaid, which many Markdown viewers can draw.
///
/// It is a class diagram, because Mermaid's entity diagrams have no inheritance.
enum MermaidDiagram {
  /// Returns a schema's diagram.
  static func text(_ schema: Schema) -> String {
    var text = "classDiagram\n  direction LR\n"
    for entity in schema.entities { text += self.text(of: entity) }
    var inverses: Set<String> = []
    for entity in schema.entities {
      if let parent = entity.parent { text += "  \(name(parent)) <|-- \(name(entity.name))\n" }
      // A relationship and its inverse share one line.
      for relationship in entity.relationships
      where !inverses.contains("\(entity.name).\(relationship.name)") {
        let back = schema.inverse(of: relationship)
        if let back { inverses.insert("\(back.owner.name).\(back.relationship.name)") }
        text += line(relationship, of: entity, back?.relationship)
      }
    }
    return text
  }

  private static func text(of entity: Entity) -> String {
    var lines = entity.isAbstract ? ["    <<abstract>>"] : []
    for attribute in entity.attributes { lines += members(attribute, path: "") }
    return lines.isEmpty
      ? "  class \(name(entity.name))\n"
      : "  class \(name(entity.name)) {\n\(lines.joined(separator: "\n"))\n  }\n"
  }

  private static func members(_ attribute: Attribute, path: String) -> [String] {
    let path = path + attribute.name
    // Braces would end the class, and characters of markup have a meaning in Mermaid.
    let type = SchemaText.type(attribute).replacing("{", with: "set ").replacing("}", with: "")
    let flags = SchemaText.flags(attribute).map { " \($0)" }.joined()
    return ["    \(type) \(path)\(flags)"]
      + attribute.properties.flatMap { members($0, path: path + ".") }
  }

  /// Returns the line of a relationship and its inverse.
  private static func line(
    _ relationship: Relationship,
    of entity: Entity,
    _ inverse: Relationship?
  ) -> String {
    let start = inverse.map { " \"\(SchemaText.cardinality($0))\" --" } ?? " -->"
    let label = relationship.name + (inverse.map { " / \($0.name)" } ?? "")
    return "  \(name(entity.name))\(start) \"\(SchemaText.cardinality(relationship))\" "
      + "\(name(relationship.destination)) : \(label)\n"
  }

  /// Returns the name of a class, quoted if it is a reserved word of Mermaid or isn't ASCII.
  ///
  /// Mermaid doesn't know all letters beyond ASCII.
  private static func name(_ name: String) -> String {
    let isPlain = name.utf8.allSatisfy { $0 < 0x80 } && !reserved.contains(name.lowercased())
    return isPlain ? name : "`\(name)`"
  }

  /// The words that begin a statement or a part of one.
  private static let reserved: Set<String> = [
    "accdescr", "acctitle", "call", "callback", "class", "classdef", "classdiagram", "click",
    "cssclass", "direction", "end", "href", "link", "namespace", "note", "style", "title",
  ]
}

internal import DepotProtocol

/// A diagram in the language of Mermaid, which many viewers of Markdown draw.
///
/// It is a class diagram, because Mermaid's entity diagrams know no inheritance.
enum MermaidDiagram {
  /// Returns a schema's diagram.
  static func text(_ schema: Schema) -> String {
    var text = "classDiagram\n  direction LR\n"
    for entity in schema.entities { text += self.text(of: entity) }
    for entity in schema.entities {
      if let parent = entity.parent { text += "  \(name(parent)) <|-- \(name(entity.name))\n" }
      for relationship in entity.relationships {
        text += line(relationship, of: entity, schema)
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
    // Braces would end the class, and the marks of text belong to Mermaid.
    let type = SchemaText.type(attribute).replacing("{", with: "set ").replacing("}", with: "")
    let flags = SchemaText.flags(attribute).map { " \($0)" }.joined()
    return ["    \(type) \(path)\(flags)"]
      + attribute.properties.flatMap { members($0, path: path + ".") }
  }

  /// Returns the line of a relationship; the one of its inverse is the same and left out.
  private static func line(
    _ relationship: Relationship,
    of entity: Entity,
    _ schema: Schema
  ) -> String {
    let back = schema.inverse(of: relationship)
    if let back,
      place(back.owner, back.relationship, schema) < place(entity, relationship, schema)
    {
      return ""
    }
    let inverse = back?.relationship
    let start = inverse.map { " \"\(SchemaText.cardinality($0))\" --" } ?? " -->"
    let label = relationship.name + (inverse.map { " / \($0.name)" } ?? "")
    return "  \(name(entity.name))\(start) \"\(SchemaText.cardinality(relationship))\" "
      + "\(name(relationship.destination)) : \(label)\n"
  }

  private static func place(
    _ entity: Entity,
    _ relationship: Relationship,
    _ schema: Schema
  ) -> (Int, Int) {
    (
      schema.entities.firstIndex { $0.name == entity.name } ?? 0,
      entity.relationships.firstIndex { $0.name == relationship.name } ?? 0
    )
  }

  /// Returns the name of a class, quoted if it is a word of Mermaid's own or has letters beyond
  /// ASCII, not all of which Mermaid knows.
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

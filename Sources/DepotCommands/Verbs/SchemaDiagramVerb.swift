internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot schema diagram`: a picture of the schema.
enum SchemaDiagramVerb {
  /// The forms of diagrams.
  private enum Form: String, CaseIterable {
    case text
    case mermaid
    case svg
  }

  private static let form = OptionSpec(
    "--format FORMAT: text, mermaid, or svg (default: text)",
    candidates: .words(Form.allCases.map(\.rawValue))
  )
  private static let file: OptionSpec =
    "--file FILE: the schema in FILE, or - for standard input, rather than the service's"

  static let verb = Verb(
    name: "schema diagram",
    summary: "draw the store's schema",
    details: """
      The ends of a line say how many rows there are: ┼ one, o perhaps none, > and < many. It begins
      and ends beside the relationships, or below the name if there is no inverse; ◁ is at the entity
      that others inherit from. Where the terminal, or $COLUMNS, is
      too narrow, the text is one column.
      """,
    examples: [
      "depot schema diagram", "depot schema diagram --format svg > schema.svg",
      "depot schema diagram --format mermaid --file packages.schema.json",
    ],
    options: [form, file]
  ) { session in
    let form = try session.invocation.choice(form, Form.self) ?? .text
    let schema =
      try session.invocation.value(file).map { try SchemaFile.read($0) }
      ?? session.connect().schema()
    session.beginPaging()
    switch form {
    case .text:
      if schema.entities.isEmpty { session.say(SchemaShowVerb.noEntities) }
      let width = Terminal.wantedWidth(1)
      session.output.append(TextDiagram.text(DiagramGraph(schema), width: width))
    case .mermaid: session.output.append(MermaidDiagram.text(schema))
    case .svg: session.output.append(SVGDiagram.text(DiagramGraph(schema)))
    }
  }
}

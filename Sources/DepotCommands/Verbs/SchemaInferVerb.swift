internal import DepotClientCore
internal import DepotProtocol

/// `depot schema infer`: a schema that fits the records of files.
enum SchemaInferVerb {
  private static let entity: OptionSpec =
    "--entity NAME: the name of the entity of a single file (default: by the file's name)"
  private static let add: OptionSpec =
    "--add: add to the store's schema, and print all of it"

  static let verb = Verb(
    name: "schema infer",
    operands: .init("FILE…|-", 1...Int.max, .files),
    summary: "propose a schema for the records of files",
    details: """
      Each file of JSON, NDJSON, or CSV becomes an entity. Its attributes are of the narrowest type
      that all values have, optional if a record lacks one, composites if they are objects, and
      collections if they are lists; numbers of which a double would lose digits are decimals. A column of CSV with 1.1 and 1.10, which are the same
      number, or with nothing but 1E5 and the like, is one of texts. Names that
      no schema has are made into others, and the options that import needs for them are said. Among name, code, id and the like, the first that differs in all
      records is proposed as unique. depot schema apply - takes the proposal, and depot import then the
      files, with the same options. A store that has entities already needs --add.
      """,
    examples: [
      "depot schema infer books.ndjson authors.csv > library.schema.json",
      "depot schema infer sales.csv --separator ';' --entity Sale | depot schema apply -",
      "depot schema infer authors.csv --add | depot schema apply -",
      "depot schema infer /usr/share/iso-codes/json/iso_3166-1.json --path /3166-1 --entity Country",
    ],
    options: InputForm.options + [RecordMap.option, entity, add]
  ) { session in
    let invocation = session.invocation
    let form = try InputForm(invocation)
    let map = try RecordMap(invocation.values(RecordMap.option))
    let paths = invocation.operands
    let name = invocation.value(entity)
    guard name == nil || paths.count == 1 else {
      throw DepotError(.usage, "--entity names the entity of one file; there are \(paths.count).")
    }
    var entities: [Entity] = []
    for path in paths {
      let proposal = SchemaProposal(entity: name ?? SchemaProposal.entityName(path), map, form)
      let entity: Entity
      do {
        let meter = session.meter()
        defer { meter.finish() }
        let file = try InputFile(path)
        try proposal.read(file) { meter.update(rows: $0, fraction: file.fraction) }
        entity = try proposal.entity()
      } catch let error as DepotError {
        throw SchemaFile.located(error, in: path)
      }
      if let other = entities.firstIndex(where: { $0.name == entity.name }) {
        throw DepotError(.usage, "\(paths[other]) and \(path) would both be \(entity.name).")
          .hint("Infer one after the other, with --entity.")
      }
      entities.append(entity)
      let advice = proposal.advice(path, width: session.messages.wrapsAt)
      if let advice, !session.isQuiet { session.messages.write(advice) }
    }
    var schema = invocation.has(add) ? try session.connect().schema() : Schema(entities: [])
    if let entity = entities.first(where: { schema[$0.name] != nil }) {
      throw DepotError(.usage, "The store has an entity \(entity.name) already.")
        .hint("Call it another with --entity, or import into that one.")
    }
    schema.entities += entities
    session.output.append(PrettyJSON.text(of: schema.json) + "\n")
  }
}

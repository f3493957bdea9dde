internal import DepotClientCore
internal import DepotProtocol

/// `depot count`: how many rows there are.
enum CountVerb {
  static let verb = Verb(
    name: "count",
    operands: .entityAndPredicate,
    summary: "count rows",
    examples: [
      "depot count Package", "depot count Package \"maintainer.name CONTAINS[c] 'debian'\"",
      "depot count Package --where \"size > $least\" --bind least:=1000",
    ],
    options: OptionSpec.matching
  ) { session in
    let request = try Selection.count(session.invocation)
    session.output.append("\(try session.connect().count(request))\n")
  }
}

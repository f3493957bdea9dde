internal import DepotClientCore

/// `depot count`: the number of rows.
enum CountVerb {
  static let verb = Verb(
    name: "count",
    operands: .entityAndPredicate,
    summary: "count rows",
    examples: [
      "depot count Package", "depot count Package \"maintainer.name CONTAINS[c] 'debian'\"",
      "depot count Package --where 'size > $least' --bind least:=1000",
    ],
    options: OptionSpec.matching
  ) { session in
    let request = try Selection.count(session.invocation)
    session.output.append("\(try session.connect().count(request))\n")
  }
}

/// `depot exists`: whether there is a row.
enum ExistsVerb {
  static let verb = Verb(
    name: "exists",
    operands: .entityAndPredicate,
    summary: "see whether there is a row",
    details: "It writes true or false. The exit status is 0 if there is one, else 1.",
    examples: [
      "depot exists Package \"name == 'bash'\"",
      "depot exists Package -q && echo some",
    ],
    options: OptionSpec.matching
  ) { session in
    let request = try Selection.count(session.invocation)
    let exists = try session.connect().exists(request)
    if !session.isQuiet { session.output.append("\(exists)\n") }
    try ExitStatus.end(with: exists ? 0 : 1)
  }
}

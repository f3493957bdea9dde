internal import DepotClientCore
internal import DepotProtocol

/// `depot check`: the check of a store in service.
enum CheckVerb {
  static let verb = Verb(
    name: "check",
    summary: "look at every page and every row of the store while others work",
    details: """
      One line says that the store is sound, or how many problems there are; each problem follows in a line
      of its own. The exit status is 0 if all stores are sound, 74 if one is damaged, and another one if
      they couldn't be looked at. With -q nothing is said of a sound store, as cron likes it. Programs get JSON with -o json. A store that no
      service has is looked at by depotd --check.
      """,
    examples: ["depot check", "depot check -q || mail -s \"depot is damaged\" root </dev/null"],
    options: [.store]
  ) { session in
    let connection = try session.connect()
    let one = session.invocation.value(.store)
    let stores = try one.map { [$0] } ?? connection.openStores().map(\.name)
    var problems: [(store: String, text: String)] = []
    var facts: [JSONValue] = []
    var pages = 0
    for store in stores {
      let findings = try connection.check(store: store)
      pages += findings.pages
      problems += findings.problems.map { (store, $0) }
      facts.append(
        .object([
          "store": .string(store), "pages": .int64(Int64(findings.pages)),
          "problems": .array(findings.problems.map(JSONValue.string)),
          "token": findings.token.map(JSONValue.string) ?? .null,
        ])
      )
    }
    if session.reportsJSON {
      session.write(.object(["sound": .bool(problems.isEmpty), "stores": .array(facts)]))
    } else if problems.isEmpty {
      let text = "The store is sound: \(Numbers.counted(pages, "page"))."
      if !session.isQuiet { session.output.append(text + "\n") }
    } else {
      session.output.append("\(Numbers.counted(problems.count, "problem")) in the store.\n")
      for problem in problems {
        session.output.append(stores.count > 1 ? "\(problem.store): " : "")
        session.output.append(problem.text + "\n")
      }
    }
    if !problems.isEmpty { throw ExitStatus(status: DepotError.Code.corrupt.exitStatus) }
  }
}

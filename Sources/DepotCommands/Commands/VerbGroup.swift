/// The verbs for one purpose, in the order of the help.
struct VerbGroup: Sendable {
  /// The purpose, as a heading.
  let name: String
  let verbs: [Verb]

  /// The names of the verbs in one line: `schema apply | show, ping`.
  var names: String {
    var names: [String] = []
    for (index, verb) in verbs.enumerated() {
      let words = verb.words
      let before = index > 0 ? verbs[index - 1].words : []
      if words.count == 2, before.count == 2, words[0] == before[0] {
        names[names.count - 1] += " | " + words[1]
      } else {
        names.append(verb.name)
      }
    }
    return names.joined(separator: ", ")
  }
}

/// A list that `depot help` shows and that is made of the declarations of verbs and options.
enum HelpList: String, CaseIterable {
  case verbs
  case options

  var summary: String {
    switch self {
    case .verbs: "all verbs, each with its purpose"
    case .options: "the options of every verb, such as --container and --output"
    }
  }
}

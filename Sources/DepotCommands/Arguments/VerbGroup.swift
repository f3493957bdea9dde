/// The verbs for one purpose, in the order of the help.
struct VerbGroup: Sendable {
  /// The purpose, as a heading.
  let name: String
  let verbs: [Verb]

  static let all: [VerbGroup] = [
    VerbGroup(
      name: "Read rows",
      verbs: [
        FetchVerb.verb, GetVerb.verb, CountVerb.verb, ExistsVerb.verb, AggregateVerb.verb,
        ExportVerb.verb, ExplainVerb.verb, BlobGetVerb.verb,
      ]
    ),
    VerbGroup(
      name: "Change rows",
      verbs: [
        InsertVerb.verb, UpdateVerb.verb, DeleteVerb.verb, SaveVerb.verb, ImportVerb.verb,
        BlobPutVerb.verb,
      ]
    ),
    VerbGroup(
      name: "See changes",
      verbs: [WatchVerb.verb, LogVerb.verb, HistoryVerb.verb, BlameVerb.verb, ShowVerb.verb]
    ),
    VerbGroup(name: "Take back", verbs: [UndoVerb.verb, UndoVerb.redo]),
    VerbGroup(
      name: "Schema",
      verbs: [
        SchemaApplyVerb.verb, SchemaShowVerb.verb, SchemaInferVerb.verb, SchemaDiagramVerb.verb,
        SchemaDiffVerb.verb, SchemaPlanVerb.verb, SchemaMigrateVerb.verb,
      ]
    ),
    VerbGroup(
      name: "Store",
      verbs: [
        BackupVerb.verb, RestoreVerb.verb, CheckVerb.verb, DoctorVerb.verb, SpaceVerb.verb,
        CompactVerb.verb, CopiesRemoveVerb.verb,
      ]
    ),
    VerbGroup(
      name: "More stores",
      verbs: [ContainerOpenVerb.verb, ContainerListVerb.verb, ContainerCloseVerb.verb]
    ),
    VerbGroup(
      name: "Service",
      verbs: [
        ServiceStartVerb.verb, ServiceStopVerb.verb, ServiceStatusVerb.verb, ClientsVerb.verb,
        ClientsEndVerb.verb, StatsVerb.verb, PingVerb.verb,
      ]
    ),
    VerbGroup(
      name: "By hand",
      verbs: [
        ShellVerb.verb, StudioVerb.verb, CallVerb.verb, CompletionsVerb.verb, HelpVerb.verb,
        VersionVerb.verb,
      ]
    ),
  ]

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

extension VerbTable {
  /// The verbs of the program `depot`.
  static let depot = VerbTable(
    [
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
          SchemaVersionsVerb.verb, SchemaDiffVerb.verb, SchemaPlanVerb.verb, SchemaMigrateVerb.verb,
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
    ],
    hidden: [CompleteVerb.verb, ManualVerb.verb]
  )
}

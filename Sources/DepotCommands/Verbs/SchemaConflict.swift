internal import DepotClientCore
internal import DepotProtocol

/// A schema file that the store refuses, and the commands to try next.
@Memberwise("file", "schema", "connection", "session")
struct SchemaConflict {
  private let file: String
  /// The file's name, quoted for a shell.
  private var quoted: String { CommandWords.quoted(file) }
  private let schema: Schema
  private let connection: BlockingConnection
  private let session: CommandSession

  /// Runs `body`, which defines the schema; adds advice to the error if the store refuses it.
  ///
  /// - Throws: An error of `body`. Errors of class `schema` are in words of the command line,
  ///   unless JSON errors are wanted.
  func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as DepotError where !session.reportsJSON {
      throw explained(error)
    }
  }

  private func explained(_ error: DepotError) -> DepotError {
    guard [.mismatch, .loss, .newerStore].contains(error.code),
      let stored = try? connection.schema()
    else { return error }
    var result = error
    result.at = nil
    var hints: [String] = []
    switch error.code {
    case .loss:
      result.message = "The migration would lose data."
      hints = ["Nothing was changed. To lose it: \(migrate(error))"]
    case .newerStore:
      let version = stored.version?.description ?? ""
      result.message = "The store's schema has version \(version), newer than that of \(file)."
      hints = ["Give \(file) \(next(stored.version)). The store's: \(command("schema show"))"]
    default:
      let isNewer = schema.version.map { new in stored.version.map { $0 < new } ?? true } ?? false
      let wasToAdd = error.details?["steps"] != nil
      if wasToAdd { result.message = "\(file) does more than add to the store's schema." }
      if wasToAdd, error.details?["problems"]?.array?.isEmpty == false {
        hints = ["Nothing was changed. Make new attributes optional, or give them defaults."]
      } else if isNewer, !wasToAdd {
        // The service has said why the migration isn't possible.
        return error
      } else if isNewer {
        hints = [
          "Nothing was changed. To see a migration: \(command("schema plan \(quoted)"))",
          "To migrate: \(migrate(error))",
        ]
      } else {
        hints = [
          "Nothing was changed. To migrate, give \(file) \(next(stored.version)); then:",
          migrate(error),
        ]
      }
    }
    if file == "-", stored.entities.contains(where: { schema[$0.name] == nil }) {
      hints.append(
        "To keep the store's entities beside the inferred ones: depot schema infer --add"
      )
    }
    return result.hint((hints + [afresh].compactMap(\.self)).joined(separator: "\n"))
  }

  /// Returns the command that makes the refused changes.
  private func migrate(_ error: DepotError) -> String {
    let steps = error.details?["steps"]?.array ?? []
    let losesData = steps.contains(where: MigrationText.losesData)
    return command("schema migrate \(quoted)") + (losesData ? " --allow-loss" : "")
  }

  /// The next version for the file, in words.
  private func next(_ version: SchemaVersion?) -> String {
    guard let version else { return "a version, as in \"version\": \"1.0.0\"" }
    let next = SchemaVersion(version.major, version.minor + 1, 0)
    return "a version above \(version), as in \"version\": \"\(next)\""
  }

  /// The way to start with an empty store, if it is simple.
  private var afresh: String? {
    let name = session.invocation.value(.container) ?? ContainerRequest.defaultName
    guard let container = try? connection.containers().first(where: { $0.name == name }),
      container.stores.count == 1, let store = container.stores.first, !store.isReadOnly
    else { return nil }
    let isDefault = name == ContainerRequest.defaultName
    let end = command(isDefault ? "service stop" : "container close \(name)", isDefault: isDefault)
    let remove = store.path.map { path in
      // A container of files is empty only if all its files are removed.
      ContainerStore.isDatabase(path)
        ? " && psql \(CommandWords.quoted(path)) -c 'DROP SCHEMA depot CASCADE'"
        : " && rm " + [path, path + "-wal"].map(CommandWords.quoted).joined(separator: " ")
    }
    guard !isDefault || remove != nil else { return "To begin afresh: \(end)" }
    return "To begin afresh, without anything that is stored: \(end)\(remove ?? "")"
  }

  /// Returns a command about the same container.
  private func command(_ words: String, isDefault: Bool = true) -> String {
    let container = isDefault ? session.invocation.value(.container) : nil
    return "depot " + (container.map { "--container \($0) " } ?? "") + words
  }
}

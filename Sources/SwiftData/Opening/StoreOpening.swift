internal import DepotClient
internal import DepotEmbedded
internal import DepotLinux
internal import DepotProtocol
internal import Foundation

/// The opening of one store, including its migration to the program's schema.
struct StoreOpening {
  let opening: ConfigurationOpening
  let configuration: ModelConfiguration

  /// - Throws: ``SwiftDataError`` that says why the store can't be opened, usually
  ///   `loadIssueModelContainer`.
  func open() throws -> StoreHandle {
    try checkStages()
    do {
      if configuration.allowsSave { try makeFolder() }
      let access = try StoreAccess(location, isReadOnly: !configuration.allowsSave)
      let identifier = try patiently(access) { connection in
        try migrate(connection)
        return try connection.storeIdentifier()
      }
      return StoreHandle(
        .depot(access),
        identifier: identifier,
        entities: Set(entityNames),
        allowsSave: configuration.allowsSave,
        name: configuration.name
      )
    } catch let error as DepotError {
      throw SwiftDataError(opening: configuration, error)
    }
  }

  private func migrate(_ connection: BlockingConnection) throws {
    let lowering = SchemaLowering(opening.descriptions)
    var wanted = try lowering.schema(opening.schema.version)
    if let plan = opening.plan {
      let stored = try connection.schema().entities.map(\.name)
      let names = opening.isOnly ? nil : Set(stored + entityNames)
      let planned = try PlannedMigration(connection, plan, for: opening.schema, in: names)
      if configuration.allowsSave {
        let stores = Self.storesInStages.union([configuration.path])
        try Self.$storesInStages.withValue(stores) { try planned.run() }
      }
      wanted.version = planned.wanted.version
    }
    try StoreMigration(
      connection: connection,
      wanted: wanted,
      descriptions: opening.descriptions,
      changingDefaults: lowering.changingDefaults,
      isReadOnly: !configuration.allowsSave
    ).run()
  }

  /// The files whose migration runs on this thread.
  @TaskLocal private static var storesInStages: Set<String> = []

  /// - Throws: ``SwiftDataError/loadIssueModelContainer`` in a stage of the store's own migration, for
  ///   whose end the opening would wait.
  private func checkStages() throws {
    guard !configuration.isStoredInMemoryOnly,
      Self.storesInStages.contains(configuration.path)
    else { return }
    throw SwiftDataError(
      .loadIssueModelContainer,
      "The store \"\(configuration.name)\" (\(configuration.path)) can't be opened in a stage of its own "
        + "migration.",
      hint: "Use the contexts that the stage is given."
    )
  }

  private var entityNames: [String] { opening.descriptions.map(\.name) }

  /// How long another program's migration may take.
  private static let patience = Duration.seconds(600)
  /// How often opening is repeated because another program was faster, or the service ended.
  private static let attempts = 8

  /// Runs a function, and repeats it while another program migrates the store or stops serving it.
  private func patiently<Result>(
    _ access: StoreAccess,
    _ body: (BlockingConnection) throws -> Result
  ) throws -> Result {
    let end = ContinuousClock.now + Self.patience
    var connection: BlockingConnection?
    var attempts = 0
    while true {
      do {
        let current = try connection ?? access.connect()
        connection = current
        return try body(current)
      } catch let error where error.isLostConnection {
        attempts += 1
        guard connection != nil, attempts < Self.attempts else { throw error }
        connection = nil
      } catch let error as DepotError where error.isOfAnotherProgram {
        if error.code == .unknownVersion { attempts += 1 }
        guard ContinuousClock.now < end, attempts < Self.attempts else { throw error }
        Thread.sleep(forTimeInterval: 0.02)
      }
    }
  }

  private var location: StoreAccess.Location {
    if configuration.isStoredInMemoryOnly { return .memory(name: UUID().uuidString) }
    return configuration.isDatabase
      ? .database(address: configuration.path) : .file(path: configuration.path)
  }

  private func makeFolder() throws {
    guard !configuration.isStoredInMemoryOnly, !configuration.isDatabase else { return }
    let folder = URL(fileURLWithPath: configuration.path).deletingLastPathComponent().path
    do throws(SystemError) {
      try FileSystem.createPrivateFolder(folder)
    } catch {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "The folder \(folder) of the store \"\(configuration.name)\" can't be made: \(error)"
      )
    }
  }
}

extension SwiftDataError {
  /// Returns the error that a store can't be opened.
  init(opening configuration: ModelConfiguration, _ cause: DepotError) {
    let kind: Kind =
      switch cause.code {
      case .newerStore: .backwardMigration
      case .unknownVersion: .unknownSchema
      default: .loadIssueModelContainer
      }
    self.init(cause, kind)
    let place = configuration.isStoredInMemoryOnly ? "in memory" : configuration.path
    message = "The store \"\(configuration.name)\" (\(place)) can't be opened: \(cause.message)"
  }
}

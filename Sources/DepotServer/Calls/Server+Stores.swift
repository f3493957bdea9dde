internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// The locations of the stores of containers, and descriptions of containers.
extension Server {
  /// Returns the configuration of a container's store.
  ///
  /// - Throws: ``DepotError`` `permission.op` if the client may not name the location,
  ///   `unavailable.busy` if the file is open already, `notfound.file` if its folder is missing.
  func configuration(
    of store: ContainerStore,
    at index: Int,
    _ session: Session
  ) throws(DepotError) -> StoreConfiguration {
    let path: String
    var name: String?
    var result: StoreConfiguration
    switch store.location {
    case .memory:
      let folder = try stores.memoryFolder(instance: instance)
      result = StoreConfiguration(path: "\(folder)/\(stores.nextNumber).store", isInMemory: true)
      result.history = self.configuration.history
      return result
    case .file(let name):
      let folder = storesFolder
      path = folder + "/" + name
      if !store.isReadOnly {
        try DepotError.at("/args/stores/\(index)", try FileSystem.prepareFolder(of: path))
      }
      result = StoreConfiguration(path: path)
    case .path(let absolute):
      try requireOwner(session, toName: "path", ofStore: index)
      path = absolute
      result = StoreConfiguration(path: path)
    case .database(let text):
      try requireOwner(session, toName: "database", ofStore: index)
      result = try cluster(at: text, index)
      path = result.path
      name = result.cluster?.description
    }
    guard let resolved = FileSystem.resolved(path) else {
      throw DepotError(.fileNotFound, "There is no folder for \(path).")
        .at("/args/stores/\(index)")
    }
    if !store.isReadOnly {
      try DepotError.at("/args/stores/\(index)", try DepotError.refuseDistrust(folderOf: resolved))
    }
    for host in stores.hosts {
      let other = host.configuration.path
      guard FileSystem.resolved(other) == resolved || FileSystem.isSameFile(other, resolved) else {
        continue
      }
      let holder = host.container?.name ?? ContainerRequest.defaultName
      throw DepotError(
        .busy,
        "\(name ?? resolved) is open already, in the container \"\(holder)\"."
      )
      .hint("Use that container, or close it.").at("/args/stores/\(index)")
    }
    result.path = resolved
    result.isReadOnly = store.isReadOnly
    result.history = self.configuration.history
    result.bound(logBytes: self.configuration.logBytes)
    return result
  }

  private func requireOwner(
    _ session: Session,
    toName member: String,
    ofStore index: Int
  ) throws(DepotError) {
    guard session.role != .owner else { return }
    throw DepotError(.operation, "Only the owner of the service may name the \(member) of a store.")
      .hint("Use \"file\" for a file in the service's own folder.")
      .at("/args/stores/\(index)/\(member)")
  }

  /// Describes a store in a database, with the configuration of its local copy.
  private func cluster(at text: String, _ index: Int) throws(DepotError) -> StoreConfiguration {
    guard !isInProgram else {
      throw DepotError(.noService, "A program that has no service can't use a store in a database.")
        .hint("Start depotd, and open the store there.").at("/args/stores/\(index)/database")
    }
    let address = try DepotError.at("/args/stores/\(index)/database", try ClusterAddress(text))
    try configuration.prepareCache()
    return configuration.store(in: address)
  }

  /// The folder of stores that clients name by a file name only.
  private var storesFolder: String {
    let path = configuration.storePath
    return (path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ".") + "/stores"
  }

  /// Returns the reply to `container.list`.
  func containerList() -> JSONValue {
    let open = [stores.defaultContainer] + stores.namedContainers.filter { $0.state == .open }
    return .object(["containers": .array(open.map(description))])
  }

  /// Returns the reply to `container.open`.
  func description(of container: Container, opened: Bool, changes: [String]) -> JSONValue {
    .object([
      "opened": .bool(opened),
      "changes": .array(changes.map(JSONValue.string)),
      "schema": .string(container.fingerprint),
      "stores": .array(container.hosts.map(description)),
    ])
  }

  private func description(of container: Container) -> JSONValue {
    .object([
      "name": .string(container.name),
      "users": .int64(Int64(container === stores.defaultContainer ? users : container.users.count)),
      "keep": .bool(
        container.keeps || !container.hosts.contains { $0.configuration.isInMemory }
      ),
      "schema": .string(container.fingerprint),
      "stores": .array(container.hosts.map(description)),
    ])
  }

  /// The number of connections that use the default container.
  private var users: Int {
    sessions.values.count {
      $0.state.isOpen && $0.hello.container == ContainerRequest.defaultName
    }
  }

  private func description(of host: StoreHost) -> JSONValue {
    let (path, isInMemory) = (host.configuration.path, host.configuration.isInMemory)
    let cluster = host.configuration.cluster
    let bytes = ["", "-wal"].reduce(0) { $0 + (FileSystem.size(of: path + $1) ?? 0) }
    var members: [String: JSONValue] = [
      "name": .string(host.name),
      "kind": .string(isInMemory ? "memory" : cluster == nil ? "file" : "database"),
      "readOnly": .bool(host.isReadOnly),
      "entities": .array(host.catalog.schema.entities.map { .string($0.name) }),
      "bytes": .int64(Int64(bytes)),
      "schema": .string(host.catalog.fingerprint),
      "uuid": .string(host.store?.storeIdentifier ?? ""),
    ]
    if !isInMemory { members["path"] = .string(cluster?.text ?? FileSystem.resolved(path) ?? path) }
    return .object(members)
  }
}

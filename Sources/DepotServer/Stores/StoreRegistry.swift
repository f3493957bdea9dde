internal import DepotEngine
internal import DepotProtocol

/// The stores that are open or opening, and the containers that they form.
struct StoreRegistry {
  private(set) var hosts: [StoreHost]
  /// The containers that are open or opening, by name.
  private(set) var containers: [String: Container]
  /// The container of the store that the service was started with.
  let defaultContainer: Container
  /// The number of the next store.
  private(set) var nextNumber = 1
  /// The folder of the stores in memory, once there is one.
  private(set) var memory: MemoryFolder?
  /// The stores with writes in this round of the loop.
  private(set) var writing: [StoreHost] = []

  /// Creates a registry with the open store that the service was started with.
  init(_ host: StoreHost, memory: MemoryFolder?) {
    self.memory = memory
    hosts = [host]
    defaultContainer = Container(
      name: ContainerRequest.defaultName,
      stores: [],
      hosts: [host],
      keeps: true
    )
    defaultContainer.state = .open
    defaultContainer.refresh()
    containers = [defaultContainer.name: defaultContainer]
  }

  /// The containers besides the service's own, by their names.
  var namedContainers: [Container] {
    containers.values.filter { $0 !== defaultContainer }.sorted { $0.name < $1.name }
  }

  func host(_ number: Int) -> StoreHost? { hosts.first { $0.number == number } }

  /// Returns the number for a store that is about to be opened.
  mutating func takeNumber() -> Int {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Adds a container with its stores.
  mutating func add(_ container: Container) {
    containers[container.name] = container
    hosts += container.hosts
  }

  /// Removes a container with its stores.
  mutating func remove(_ container: Container) {
    containers[container.name] = nil
    hosts.removeAll { $0.container === container }
  }

  /// Adds a store of no container.
  mutating func add(_ host: StoreHost) { hosts.append(host) }

  mutating func remove(_ host: StoreHost) { hosts.removeAll { $0 === host } }

  /// Forgets all containers but the default one, and the stores in memory.
  mutating func reset() {
    containers = [defaultContainer.name: defaultContainer]
    hosts = defaultContainer.hosts
    memory = nil
  }

  /// Returns the path of the folder of the stores in memory, which is made for the first of them.
  mutating func memoryFolder(instance: String) throws(DepotError) -> String {
    if let memory { return memory.path }
    let made = try MemoryFolder(instance: instance)
    memory = made
    return made.path
  }

  /// Keeps a write until the end of the round.
  mutating func hand(_ request: WriteRequest, to host: StoreHost) {
    if host.writes.isEmpty { writing.append(host) }
    host.writes.append(request)
  }

  /// Submits the writes of the round.
  mutating func submitWrites() {
    guard !writing.isEmpty else { return }
    for host in writing { host.submit() }
    while !writing.isEmpty { writing.removeLast() }
  }
}

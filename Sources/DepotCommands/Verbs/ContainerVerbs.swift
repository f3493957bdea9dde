internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot container open`: further stores beside the service's own.
enum ContainerOpenVerb {
  private static let memory: OptionSpec =
    "--memory: keep the store in memory, up to the end of the service"
  private static let file = OptionSpec(
    "--file NAME: the name of the store's file in the service's folder (default: the container's "
      + "name)"
  )
  private static let path: OptionSpec =
    "--path FILE: the store's file, wherever it is; for the owner of the service"
  private static let database = OptionSpec(
    "--store ADDRESS: the PostgreSQL database that the store lives in, "
      + "postgresql://USER@HOST,…/NAME; for the owner of the service"
  )
  private static let readOnly: OptionSpec =
    "--read-only: open a file that exists, and never write to it"
  private static let schema: OptionSpec =
    "--schema FILE: give the store this schema, as depot schema apply does"

  static let verb = Verb(
    name: "container open",
    operands: .name,
    summary: "open another store beside the service's own",
    details: """
      It stays open until it is closed or the service ends; use it with --container NAME. A service
      that was started anew has none open. For a container of several stores see container.open in
      the protocol: depot call container.open '{"name":"shop","stores":[…]}'
      """,
    examples: [
      "depot container open shop --schema shop.schema.json",
      "depot container open cache --memory", "depot --container cache schema show",
      "depot container open archive --path /srv/2025.store --read-only",
      "depot container open app --store 'postgresql:///app?host=/run/postgresql'",
    ],
    options: [memory, file, path, database, readOnly, schema]
  ) { session in
    let invocation = session.invocation
    let name = invocation.operands[0]
    let place = try location(of: name, invocation)
    let store = ContainerStore(place, isReadOnly: invocation.has(readOnly))
    var request = ContainerRequest(name, stores: [store], keeps: true)
    if let file = invocation.value(schema) { request.schema = try SchemaFile.read(file) }
    // As with schema apply; greater changes need schema migrate.
    request.allows = .additions
    let opened = try session.connect().openContainer(request)
    let value: [String: JSONValue] = [
      "opened": .bool(opened.isNew),
      "changes": .array(opened.changes.map(JSONValue.string)),
      "schema": .string(opened.fingerprint),
      "stores": .array(opened.stores.map(\.json)),
    ]
    session.write(.object(value), orText: sentence(opened))
  }

  private static func location(
    of name: String,
    _ invocation: Invocation
  ) throws(DepotError) -> ContainerStore.Location {
    let address = invocation.value(database)
    switch (invocation.has(memory), invocation.value(file), invocation.value(path), address) {
    case (true, nil, nil, nil): return .memory
    case (false, let file?, nil, nil): return .file(file)
    case (false, nil, nil, let address?):
      guard ContainerStore.isDatabase(address) else {
        throw DepotError(.usage, "--store takes the address of a database, postgresql://….")
          .hint("For a file there are --file NAME and --path FILE.")
      }
      return .database(address)
    case (false, nil, let path?, nil):
      guard !ContainerStore.isDatabase(path) else {
        throw DepotError(.usage, "--path takes the path of a file.")
          .hint("The address of a database is for --store.")
      }
      guard let absolute = FileSystem.resolved(path) else {
        throw DepotError(.fileNotFound, "There is no folder for \(path).")
      }
      return .path(absolute)
    case (false, nil, nil, nil): return .file(name + ".store")
    default:
      throw DepotError(.usage, "--memory, --file, --path and --store exclude each other.")
    }
  }

  private static func sentence(_ opened: OpenedContainer) -> String {
    let store = opened.stores.first
    let place = store?.path ?? "memory"
    let first = opened.isNew ? "Opened: \(place)." : "It is open already: \(place)."
    return ([first] + opened.changes.map { "  " + $0 }).joined(separator: "\n")
  }
}

/// `depot container list`: the open containers.
enum ContainerListVerb {
  static let verb = Verb(
    name: "container list",
    summary: "list the containers that are open, and their stores",
    examples: ["depot container list", "depot container list -o json"]
  ) { session in
    try session.require(.documents)
    let containers = try session.connect().containers()
    session.beginPaging()
    let rows = containers.flatMap { container in
      container.stores.map { store in
        [
          TableCell(text: container.name), TableCell(text: store.name),
          .number(Numbers.grouped(container.users)), .number(Numbers.size(bytes: store.bytes)),
          TableCell(text: store.entities.joined(separator: ", ")),
          TableCell(text: (store.path ?? "memory") + (store.isReadOnly ? " (read-only)" : "")),
        ]
      }
    }
    let headings = ["container", "store", "users", "size", "entities", "place"]
    try session.write(.array(containers.map(\.json)), orTable: headings, rows)
  }
}

/// `depot container close`: the closing of a container.
enum ContainerCloseVerb {
  static let verb = Verb(
    name: "container close",
    operands: .name,
    summary: "close a container for all who use it",
    details: "What its stores in memory hold is gone.",
    examples: ["depot container close cache"]
  ) { session in
    let name = session.invocation.operands[0]
    try session.connect(mayStart: false).closeContainer(name)
    session.write(.object(["closed": .string(name)]), orText: "Closed.")
  }
}

extension OpenContainer {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name), "users": .int64(Int64(users)), "keep": .bool(keeps),
      "stores": .array(stores.map(\.json)),
    ])
  }
}

extension OpenStore {
  fileprivate var json: JSONValue {
    .object([
      "name": .string(name), "path": path.map(JSONValue.string) ?? .null,
      "readOnly": .bool(isReadOnly), "entities": .array(entities.map(JSONValue.string)),
      "bytes": .int64(Int64(bytes)), "uuid": .string(identifier), "schema": .string(fingerprint),
    ])
  }
}

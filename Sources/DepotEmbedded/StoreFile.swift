internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// A store's file, or the database that it is in, and where its services are to be found.
struct StoreFile: Hashable, Sendable {
  /// The absolute path, without links, or the address of the database.
  let path: String
  let isDatabase: Bool
  /// The socket of the program that owns the store.
  ///
  /// It is beside the file, or in a private folder if its path would be too long for a socket.
  let socket: SocketPath
  /// The name of the container with only this store in the service on the default socket.
  let container: String

  /// - Throws: ``DepotError`` `notfound.file` if there is no folder for the file, `request.usage` if
  ///   the path can't be a store's.
  init(_ path: String) throws(DepotError) {
    guard let path = FileSystem.destination(of: path) ?? FileSystem.resolved(path) else {
      throw DepotError(.fileNotFound, "There is no folder for \(path).")
    }
    self.path = path
    isDatabase = false
    let digits = Self.hash(of: path)
    socket = SocketPath(Self.socket(of: path, digits))
    container = "file-" + Self.container(of: path, digits)
    try request.validate()
  }

  /// - Throws: ``DepotError`` `request.usage` if it is no address.
  init(database address: String) throws(DepotError) {
    path = address
    isDatabase = true
    socket = .default
    let name = String(address.prefix { $0 != "?" })
    container = "database-" + Self.container(of: name, Self.hash(of: address))
    try request.validate()
  }

  /// The container with only this store.
  var request: ContainerRequest {
    ContainerRequest(
      container,
      stores: [ContainerStore(isDatabase ? .database(path) : .path(path))]
    )
  }

  /// Whether it exists, as far as this process can tell.
  var exists: Bool { isDatabase || FileSystem.size(of: path) != nil }

  /// Makes the folder of the socket if that isn't the file's.
  ///
  /// - Throws: ``DepotError`` `permission.peer` if others can write to it.
  func prepareSocketFolder() throws(DepotError) {
    guard let slash = socket.path.lastIndex(of: "/") else { return }
    let folder = String(socket.path[..<slash])
    guard socket.path != path + Self.suffix else { return }
    try? FileSystem.createPrivateFolder(folder)
    guard FileSystem.isPrivateFolder(folder) else {
      throw DepotError(.peer, "\(folder) isn't a folder that only you can write to.")
        .hint("Remove it, or give the store a shorter path.")
    }
  }

  private static let suffix = ".socket"

  private static func socket(of path: String, _ digits: String) -> String {
    let beside = path + suffix
    guard beside.utf8.count > UnixSocket.longestPath else { return beside }
    // All programs look in the same folder, regardless of their environments.
    return "/tmp/depot-\(Process.user)/\(digits)\(suffix)"
  }

  /// Returns a name that says which file it is, and is no other file's.
  private static func container(of path: String, _ digits: String) -> String {
    let name = path.utf8.suffix(40).split(separator: UInt8(ascii: "/")).last ?? []
    let letters = name.map { byte in
      byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == 0x2E || byte == 0x5F ? byte : 0x2D
    }
    return "\(String(decoding: letters, as: UTF8.self))-\(digits)"
  }

  /// The 64-bit FNV-1a hash of a path, in sixteen hexadecimal digits.
  private static func hash(of path: String) -> String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

internal import DepotProtocol

/// The values of a connection's hello, or the defaults before it came.
struct HelloValues {
  /// The container of calls that name none.
  var container = ContainerRequest.defaultName
  var access = Operation.Privilege.owner
  var client: [String: String] = [:]
  /// The author of the connection's changes in the history, unless a call names another.
  var author: String?
  /// The name of the process in the history.
  var process: String?
  var int64 = Int64Form.number

  init() {}

  /// Takes the values of a hello that the process `peer` said.
  init(_ hello: Hello, peer: Int32) {
    container = hello.container ?? ContainerRequest.defaultName
    access = hello.access ?? .owner
    client = hello.client
    author = hello.author
    process = hello.process ?? "\(hello.client["name"] ?? "client")/\(peer)"
    int64 = hello.int64
  }
}

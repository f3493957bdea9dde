internal import DepotLinux

/// The handover of this service's socket to another service.
struct Handover {
  /// The connection of the other service, and the call that the socket answers.
  let connection: Int64
  let call: Int64
  /// The accepted clients that have sent nothing yet.
  var clients: [Descriptor] = []
}

internal import DepotProtocol

extension Hello {
  /// Introduces a program by its name.
  init(_ name: String) {
    self.init(
      client: ["name": name, "version": ProtocolVersion.software, "language": "swift"]
    )
  }
}

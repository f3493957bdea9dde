internal import DepotProtocol

extension BlockingConnection {
  fileprivate func load<Content: LargeContent>(_ request: BlobReadRequest) throws -> Content? {
    var bytes: [UInt8] = []
    guard try readBlob(request, { bytes += $0 }) != nil else { return nil }
    return try Content.checked(bytes)
  }
}

extension ServiceConnection {
  /// Reads the value of a property in external storage, of any size that fits into memory.
  ///
  /// - Returns: The value; `nil` if it is null.
  /// - Throws: ``DepotError`` `notfound.object` if there is no such row, and others.
  @Blocking
  @concurrent
  public func load<Model: Record, Content>(
    _ keyPath: any KeyPath<Model, LargeValue<Content>?> & Sendable,
    of identifier: Identifier<Model>
  ) async throws -> Content? where Self == Client {
    try await self.load(BlobReadRequest(keyPath, of: identifier))
  }

  /// Reads the value of a property in external storage, of any size that fits into memory.
  ///
  /// - Throws: ``DepotError`` `notfound.object` if there is no such row, and others.
  @Blocking
  @concurrent
  public func load<Model: Record, Content>(
    _ keyPath: any KeyPath<Model, LargeValue<Content>> & Sendable,
    of identifier: Identifier<Model>
  ) async throws -> Content where Self == Client {
    let content: Content? = try await self.load(BlobReadRequest(keyPath, of: identifier))
    guard let content else {
      throw DepotError(.type, "The value is null, which the property can't be.")
    }
    return content
  }
}

extension Client {
  fileprivate func load<Content: LargeContent>(
    _ request: BlobReadRequest
  ) async throws -> Content? {
    var chunks = readBlob(request).makeAsyncIterator()
    var bytes: [UInt8] = []
    while let chunk = try await chunks.next() { bytes += chunk }
    guard try chunks.length != nil else { return nil }
    return try Content.checked(bytes)
  }
}

extension LargeContent {
  fileprivate static func checked(_ bytes: [UInt8]) throws(DepotError) -> Self {
    guard let content = Self(largeBytes: bytes) else {
      throw DepotError(.type, "The bytes are no \(attributeType.rawValue).")
    }
    return content
  }
}

extension BlobReadRequest {
  /// Names the value of a property.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed.
  fileprivate init<Model: Record>(
    _ keyPath: any PartialKeyPath<Model> & Sendable,
    of identifier: Identifier<Model>
  ) throws(DepotError) {
    self.init(
      entity: Model.entity,
      identifier: identifier.value,
      attribute: try Model.property(keyPath).path
    )
  }
}

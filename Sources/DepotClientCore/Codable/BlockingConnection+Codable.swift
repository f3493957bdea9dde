public import DepotProtocol

extension BlockingConnection {
  /// Does what ``Client/fetch(decoding:_:deadline:)`` does.
  public func fetch<Content: Decodable>(
    decoding type: Content.Type,
    _ request: FetchRequest,
    deadline: Duration? = nil
  ) throws -> [Content] {
    var request = request
    request.namesColumns = true
    var decoding = RowsDecoding<Content>()
    let columns: ([String]) -> Void = { decoding.begin($0) }
    try fetch(request, deadline: deadline, columns: columns) { try decoding.append(&$0) }
    return decoding.contents
  }

  /// Does what ``Client/insert(encoding:into:onConflict:)`` does.
  @discardableResult
  public func insert(
    encoding contents: [some Encodable],
    into entity: String,
    onConflict: InsertRequest.OnConflict = .error
  ) throws -> [Int64] {
    try insert(InsertRequest(encoding: contents, into: entity, onConflict: onConflict))
      .identifiers.compactMap { $0 }
  }
}

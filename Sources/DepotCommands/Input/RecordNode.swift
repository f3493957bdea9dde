internal import DepotProtocol

extension JSONNode {
  /// Reads a record, which is an object.
  ///
  /// - Throws: ``DepotError`` `protocol.json`, or `request.type` if it isn't an object.
  static func record(_ bytes: [UInt8]) throws(DepotError) -> JSONNode {
    let root: JSONNode
    do throws(DepotError) {
      root = try JSONDocument(bytes).root
    } catch {
      var error = error
      error.message = error.message.replacing("The frame", with: "The record")
      throw error
    }
    guard root.kind == .object else {
      throw DepotError(.type, "A record is a JSON object, not \(root.kind).")
    }
    return root
  }
}

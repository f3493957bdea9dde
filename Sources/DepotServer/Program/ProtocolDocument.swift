internal import CDepotProtocol

/// The protocol as data, `proto-docs/protocol.json`, from which the reference pages are generated.
package enum ProtocolDocument {
  /// The document as the file has it, ending in a line feed.
  package static let json = String(cString: depotProtocolDocument())

  /// The document on one line, as `describe` answers it and NDJSON needs it.
  static let line = Array(json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined().utf8)
}

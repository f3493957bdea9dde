internal import CDepotProtocol

/// The protocol as data, `proto-docs/protocol.json`, the source of the reference pages.
package enum ProtocolDocument {
  /// The document as in the file, with a line feed at the end.
  package static let json = String(cString: depotProtocolDocument())

  /// The document on one line, as `describe` returns it, since NDJSON requires that.
  static let line = Array(json.split(separator: "\n").map { $0.drop { $0 == " " } }.joined().utf8)
}

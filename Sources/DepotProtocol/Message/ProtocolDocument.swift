/// The protocol as data: what `describe` returns and the reference pages are generated from.
///
/// Change it here; `make docs` carries it into `proto-docs/`.
package enum ProtocolDocument {
  /// The document as `proto-docs/protocol.json` has it, ending in a line feed.
  package static let json =
    "{\n" + head + ",\n" + frames + ",\n" + operations + "\n" + queries + "\n" + changes + "\n"
    + grown + "\n" + containers + "\n" + migrations + ",\n" + blobs + "\n" + pins + ",\n"
    + watches + ",\n" + history + ",\n" + staging + "\n" + commonErrors + ",\n" + types + ",\n"
    + operators + "\n"
    + language + ",\n" + errors + ",\n" + limits + "\n}\n"

  /// The document in one line, as `describe` answers it.
  package static let line = json.split(separator: "\n")
    .map { $0.drop { $0 == " " } }
    .joined()

  private static let head = #"""
      "name": "depot",
      "versions": [1, 1],
      "encoding": "One JSON object (RFC 8259, UTF-8) in each frame.",
      "framings": [
        {
          "name": "length", "detect": "The first byte is 0x00 to 0x04 or 0xFF.",
          "rule": "Four bytes of big-endian length (1 to frameBytes), then that many bytes of JSON."
        },
        {
          "name": "lines", "detect": "The first byte is {.",
          "rule": "One JSON object in each line, ended by a line feed; a carriage return before it and empty lines are ignored."
        }
      ]
    """#
}

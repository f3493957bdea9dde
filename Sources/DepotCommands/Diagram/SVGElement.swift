internal import DepotProtocol

/// An element of an SVG image.
struct SVGElement {
  let tag: String
  var attributes: [String: String] = [:]
  var text = ""
  var children: [SVGElement] = []

  init(_ tag: String, _ style: String?, _ numbers: [(name: String, value: Int)], text: String = "")
  {
    self.tag = tag
    self.text = text
    attributes["class"] = style
    for (name, value) in numbers { attributes[name] = "\(value)" }
  }

  /// The element as XML.
  var markup: String {
    let attributes = attributes.sorted { $0.key < $1.key }
      .map { " \($0)=\"\(Self.escaped($1))\"" }.joined()
    let content = Self.escaped(text) + children.map(\.markup).joined()
    return "<\(tag)\(attributes)" + (content.isEmpty ? "/>\n" : ">\(content)</\(tag)>\n")
  }

  /// The tag, the attributes, and then the text or the children.
  var json: JSONValue {
    .array(
      [.string(tag), .object(attributes.mapValues(JSONValue.string))]
        + (text.isEmpty ? children.map(\.json) : [.string(text)])
    )
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}

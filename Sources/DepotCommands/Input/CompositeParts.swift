internal import DepotProtocol

extension [Field] {
  /// Returns the parts of a composite that an object leaves out, with the JSON of their defaults.
  ///
  /// `columns` and `values` are those of the row with the parts that the object names. An object
  /// stands for the whole composite, so nothing of an earlier value may stay.
  func leftOut(
    of composite: String,
    _ columns: [String],
    _ values: [[UInt8]]
  ) -> [(path: String, value: [UInt8])] {
    let no = [UInt8]("false".utf8)
    var absent: [String] = []
    var result: [(path: String, value: [UInt8])] = []
    for field in self where field.path.hasPrefix(composite + ".") {
      let path = field.path
      guard field.attribute.derivation == nil,
        !absent.contains(where: { path.hasPrefix($0 + ".") })
      else { continue }
      if let place = columns.firstIndex(of: path) {
        if field.isPresence, values[place] == no { absent.append(path) }
      } else if !field.isPresence {
        let value = field.attribute.defaultValue ?? .null
        result.append((path, JSONWriter.bytes { $0.write(value) }))
      } else if !columns.contains(where: { $0.hasPrefix(path + ".") }) {
        absent.append(path)
        result.append((path, no))
      }
    }
    return result
  }
}

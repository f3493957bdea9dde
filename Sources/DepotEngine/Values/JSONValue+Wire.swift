internal import DepotProtocol
internal import FoundationEssentials

extension JSONValue {
  /// The form for clients of a time in seconds since 2001.
  init(date seconds: Double) {
    self.init(wire: .date(Date(timeIntervalSinceReferenceDate: seconds)))
  }

  /// The form for clients of a value.
  init(wire value: Value) {
    var writer = JSONWriter()
    writer.write(value)
    self = (try? JSONValue(parsing: writer.bytes)) ?? .null
  }
}

/// JSON texts one after the other: all in one array, or one in each line.
///
/// Nothing is written before the first text or the end, so that an early error leaves no output.
final class JSONSequence: EndedOutput {
  private let sink: ByteSink
  /// Whether they are in an array.
  private let isArray: Bool
  private var count = 0

  init(_ sink: ByteSink, isArray: Bool) {
    self.sink = sink
    self.isArray = isArray
  }

  /// Writes the separator before a text.
  @inline(__always)
  func beginElement() {
    if isArray { sink.append(count == 0 ? "[\n" : ",\n") }
    count += 1
  }

  /// Writes the end of a text.
  @inline(__always)
  func endElement() {
    if !isArray { sink.append("\n") }
  }

  /// Writes a text as the next element.
  func append(_ text: String) {
    beginElement()
    sink.append(text)
    endElement()
  }

  func end() {
    if isArray { sink.append(count == 0 ? "[]\n" : "\n]\n") }
  }

  func breakOff() {
    if count > 0 { end() }
  }
}

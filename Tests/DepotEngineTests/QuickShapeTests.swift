import DepotEngine
import DepotProtocol
import Foundation
import Testing

/// Calls of one shape, answered as each would be by itself.
@Suite struct QuickShapeTests {
  private static let attributes = [
    Attribute(name: "name", type: .string, isIndexed: true),
    Attribute(name: "size", type: .int64, isOptional: true, isIndexed: true),
    Attribute(name: "price", type: .double, isOptional: true),
    Attribute(name: "isFree", type: .bool),
    Attribute(name: "cost", type: .decimal, isOptional: true),
    Attribute(name: "tags", type: .string, isOptional: true),
  ]
  private let fixture: ReaderFixture
  private let reader: QuickReader
  private let other: QuickReader

  init() throws {
    fixture = try ReaderFixture(
      Schema(entities: [Entity(name: "Package", attributes: Self.attributes)])
    )
    try fixture.insert((0..<200).map(Self.row), into: "Package")
    reader = try QuickReader(path: fixture.path, budget: 10_000_000_000)
    other = try QuickReader(path: fixture.path, budget: 10_000_000_000)
  }

  private static func row(_ number: Int) -> [Value] {
    let size: Value = number % 9 == 0 ? .null : .int64(Int64(number % 50))
    let price: Value = number % 7 == 0 ? .null : .double(Double(number) / 4)
    let isFree = Value.bool(number % 2 == 0)
    return [.string("p\(number % 10)"), size, price, isFree, .decimal(Decimal(number)), .null]
  }

  /// Returns a frame whose arguments have these numbers in the places of `#`.
  private func frame(_ id: Int, _ operation: String, _ text: String, _ numbers: [Int64]) -> [UInt8]
  {
    var arguments = ""
    var rest = numbers[...]
    for character in text {
      arguments += character == "#" ? rest.popFirst().map(String.init) ?? "" : String(character)
    }
    return Array(#"{"id":\#(id),"call":"\#(operation)","args":\#(arguments)}"#.utf8)
  }

  private func answer(
    _ call: Call,
    _ reader: QuickReader,
    _ form: CallForm,
    in catalog: Catalog? = nil
  ) throws -> String {
    var writer = JSONWriter()
    let isDone = try reader.perform(
      call.operation,
      form: form,
      catalog: catalog ?? fixture.catalog,
      control: CallControl(),
      reply: ReplyWriter(id: call.id, framing: .lines),
      into: &writer
    )
    #expect(isDone)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Checks the answers to calls whose arguments have numbers in the places of `#`, and that the calls have one
  /// shape from the third on.
  private func check(_ operation: String, _ arguments: String, _ numbers: [[Int64]]) throws {
    var shapes = CallShapes()
    var answers: Set<String> = []
    for (index, values) in numbers.enumerated() {
      let frame = frame(index + 1, operation, arguments, values)
      let text = "\(arguments) \(values)"
      guard case .call(let call) = try shapes.frame(frame) else { throw CancellationError() }
      #expect(index < 2 || call.form.shape != nil, "\(text)")
      let found = try answer(call, reader, call.form)
      #expect(try found == answer(call, other, CallForm()), "\(text)")
      answers.insert(found.replacing(#""id":\#(call.id),"#, with: ""))
    }
    #expect(answers.count > 1, "\(arguments) has one answer")
  }

  @Test func `each has the rows of its own constants`() throws {
    let fetch =
      #"{"entity":"Package","where":"size >= # AND size < #","sort":[{"attribute":"name"}]}"#
    try check("fetch", fetch, [[0, 5], [3, 9], [7, 8], [40, 60], [1, 1], [0, 50]])
    let count = #"{"entity":"Package","where":"size == $a OR size > $b","bind":{"b":#,"a":#}}"#
    try check("count", count, [[0, 5], [3, 9], [7, 8], [40, 60], [1, 1], [0, 49]])
    try check(
      "exists",
      #"{"entity":"Package","where":{"<":[{"attribute":"size"},#]}}"#,
      [[5], [0], [7], [0], [1]]
    )
  }

  @Test func `a number is compared with other types as it is`() throws {
    for attribute in ["price", "cost", "size"] {
      let numbers: [Int64] = [3, 20, 7, 9_007_199_254_740_993, 0, 12]
      let text = #"{"entity":"Package","where":"\#(attribute) > # AND \#(attribute) != 4"}"#
      try check("count", text, numbers.map { [$0] })
    }
    try check(
      "count",
      ##"{"entity":"Package","where":"# BETWEEN {size, price}"}"##,
      [[1], [3], [9], [20], [40]]
    )
  }

  @Test func `limit and offset are those of the call`() throws {
    let text = #"{"entity":"Package","where":"size > #","limit":#,"offset":#}"#
    try check(
      "fetch",
      text,
      [[3, 2, 1], [4, 2, 1], [5, 2, 1], [6, 2, 1]]
    )
    let pages: [[Int64]] = (0..<4).map { [3, 2, Int64(5 * $0)] }
    var shapes = CallShapes()
    for round in 0..<3 {
      for (index, page) in pages.enumerated() {
        let frame = frame(round * pages.count + index + 1, "fetch", text, page)
        guard case .call(let call) = try shapes.frame(frame) else { throw CancellationError() }
        #expect(try answer(call, reader, call.form) == answer(call, other, CallForm()), "\(page)")
      }
    }
  }

  @Test func `null and text in the place of a number have plans of their own`() throws {
    var shapes = CallShapes()
    let values = ["3", "4", "5", "null", "6", "\"7\"", "7.5", "null", "8", "-9", "-8", "-7"]
    for (index, value) in values.enumerated() {
      let bind = #""bind":{"n":\#(value)}"#
      let text = #"{"entity":"Package","where":"size == $n OR price > $n",\#(bind)}"#
      let frame = Array(#"{"id":\#(index + 1),"call":"count","args":\#(text)}"#.utf8)
      guard case .call(let call) = try shapes.frame(frame) else { throw CancellationError() }
      func found(_ reader: QuickReader, _ form: CallForm) -> String {
        do { return try answer(call, reader, form) } catch { return "\(error)" }
      }
      #expect(found(reader, call.form) == found(other, CallForm()), "\(value)")
    }
  }

  @Test func `a plan ends with its schema`() throws {
    var shapes = CallShapes()
    func call(_ id: Int) throws -> Call {
      let text = #"{"entity":"Package","where":"size == \#(id)"}"#
      let frame = Array(#"{"id":\#(id),"call":"count","args":\#(text)}"#.utf8)
      guard case .call(let call) = try shapes.frame(frame) else { throw CancellationError() }
      return call
    }
    for id in 1...4 { _ = try answer(call(id), reader, call(id).form) }
    let known = try call(5)
    #expect(known.form.shape != nil)
    let next = Catalog(
      Schema(entities: [
        Entity(name: "Package", attributes: Self.attributes.filter { $0.name != "size" })
      ]),
      generation: 2
    )
    let error = #expect(throws: DepotError.self) {
      try answer(known, reader, known.form, in: next)
    }
    #expect(error?.code == .unknownAttribute)
    let again = Catalog(
      Schema(entities: [Entity(name: "Package", attributes: Self.attributes)]),
      generation: 3
    )
    #expect(try answer(known, reader, known.form, in: again) == answer(known, other, CallForm()))
  }
}

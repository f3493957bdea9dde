import DepotProtocol
import TestSupport
import Testing

@Suite struct CallShapesTests {
  /// Frames with `#` in the places of numbers.
  private static let forms = [
    ##"{"id":#,"call":"ping","args":{}}"##, ##"{"call": "ping", "id": #}"##, ##"{"ping":#}"##,
    ##"{"id":#,"more":#}"##, ##"{"id":#,"cancel":true}"##,
    ##"{"id": #, "call": "get", "args": {"entity": "Item", "ids": [#, #]}, "deadlineMs": #}"##,
    ##"{"id":#,"call":"get","args":{"entity":"Item","ids":[#],"select":["t2","n"]},"pin":"p#"}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"Item","where":"n >= # AND n < #","limit":#}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"Item","where":"n==#","offset":#,"batch":#}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"A","sort":[{"attribute":"n"}],"after":[#,#]}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"A","sort":[{"key":{"+":[{"attribute":"n"},#]}}]}}"##,
    ##"{"id":#,"call":"count","args":{"entity":"A","where":"n > $a AND m < $a","bind":{"a":#}}}"##,
    ##"{"id":#,"call":"count","args":{"entity":"A","where":"n > $a1","bind":{"a1":#,"b":#}}}"##,
    ##"{"id":#,"call":"count","args":{"entity":"A","where":"n IN {#, #} OR name == \"item-#\""}}"##,
    ##"{"id":#,"call":"count","args":{"entity":"A","where":"n BETWEEN {#, #}","credit":#}}"##,
    ##"{"id":#,"call":"exists","args":{"entity":"A","where":"tags[#] == -# AND tags.@count > #"}}"##,
    ##"{"id":#,"call":"exists","args":{"entity":"A","where":"when > CAST(#, \"NSDate\")"}}"##,
    ##"{"id":#,"call":"exists","args":{"entity":"A","where":{"==":[{"attribute":"n"},#]}}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"A","where":{"<":[{"value":#,"type":"date"},#]}}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"A","where":{"in":[{"attribute":"n"},[#,#]]}}}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"A","where":"n > #e3 OR n > #.5 OR n < 0x#"}}"##,
    ##"{"id":#,"call":"delete","args":{"entity":"A","ids":[#]},"key":"#"}"##,
    ##"{"id":#,"call":"fetch","args":{"entity":"é#","where":"n + # > # * n","distinct":true}}"##,
  ]
  /// Frames of writes with `#` in the places of numbers, `@` in those of values, and `%` in those of rows.
  private static let writeForms = [
    ##"{"id":#,"call":"insert","args":{"entity":"A","columns":["a","b"],"rows":%}}"##,
    ##"{"id": #, "call": "insert", "args": {"rows": %, "entity": "A"}, "key": @}"##,
    ##"{"call":"insert","key":@,"args":{"entity":"A","rows":%,"returnIds":false},"after":#,"id":#}"##,
    ##"{"id":#,"call":"insert","args":{"entity":"A","rows":%},"author":"a","key":@,"deadlineMs":#}"##,
    ##"{"id":#,"call":"save","args":{"insert":[{"entity":"A","columns":["$id"],"rows":%}]}}"##,
    ##"{"id":#,"call":"save","args":{"update":[{"entity":"A","columns":["$id","$version"],"##
      + ##""rows":%,"base":{"columns":["b"],"rows":%}}]},"key":@}"##,
    ##"{"id":#,"call":"save","args":{"update":[{"base":{"rows":%,"columns":["b"]},"rows":%,"##
      + ##""entity":"B","columns":["$id","$version"]}],"##
      + ##""insert":[{"entity":"A","columns":[],"rows":%}]}}"##,
    ##"{"id":#,"call":"save","args":{"delete":[{"entity":"A","ids":[#]}],"policy":"overwrite","##
      + ##""insert":[{"entity":"A","columns":["b"],"rows":%}]}}"##,
    ##"{"id":#,"call":"save","args":{"staged":{"save":#,"parts":1},"##
      + ##""insert":[{"entity":"A","columns":["b"],"rows":%}]}} "##,
  ]
  private static let values = [
    #""a""#, #""""#, #""né\n""#, #""\u00e9""#, #""\ud800""#, "\"\u{1}\"", #""a"#, "null", "nul",
    "true", "false", "0", "-0", "01", "1.", ".5", "1.5", "1e3", "1E+3", "1e", "-", "[1]", "[]",
    #"{"add":[1]}"#, #"{"a":1,"a":2}"#, "", "9223372036854775808", "1e400", " 1 ", "]", ",",
    "\"" + String(repeating: "k", count: 129) + "\"",
    "\"" + String(repeating: "k", count: 128) + "\"",
  ]
  private static let numbers = [
    "0", "1", "2", "-1", "-0", "00", "007", "1.5", "1e3", "1e-3", "-7", "16", "9007199254740991",
    "9007199254740992", "999999999999999999", "1000000000000000000", "9223372036854775807",
    "9223372036854775808", "-9223372036854775808", "true", "null", "481516234207", "#",
  ]

  @Test(arguments: TestSupport.seeds(20) as Range<UInt64>)
  func `a frame means the same after those that are like it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var shapes = CallShapes()
    var known = 0
    var form = ""
    for _ in 0..<400 {
      // A program often makes the same call again.
      if form.isEmpty || random.once(in: 2) { form = random.pick(Self.forms) }
      let parts = form.split(separator: "#", omittingEmptySubsequences: false)
      var text = String(parts[0])
      for part in parts.dropFirst() {
        let isSmall = !random.once(in: 3)
        text += isSmall ? "\(UInt8.random(in: 1..<200, using: &random))" : random.pick(Self.numbers)
        text += part
      }
      let frame = Array(text.utf8)
      let (found, expected) = (read { try shapes.frame(frame) }, read { try ClientFrame(frame) })
      #expect(found == expected, "seed \(seed): \(text)")
      guard case .success(.call(let call)) = found, let shape = call.form.shape else { continue }
      known += 1
      if call.operation.predicate == nil { continue }
      #expect(shape.operation(constants: call.form.constants) == call.operation, "\(text)")
    }
    #expect(known > 20, "seed \(seed)")
  }

  @Test(arguments: TestSupport.seeds(20) as Range<UInt64>)
  func `a write means the same after writes that are like it`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var shapes = CallShapes()
    for _ in 0..<400 {
      var text = ""
      for character in random.pick(Self.writeForms) {
        switch character {
        case "#":
          let isSmall = !random.once(in: 4)
          text += isSmall ? "\(Int.random(in: 1..<200, using: &random))" : random.pick(Self.numbers)
        case "@":
          text += random.once(in: 4) ? random.pick(Self.values) : "\"k\(random.next() % 9)\""
        case "%": text += rows(&random)
        default: text.append(character)
        }
      }
      let frame = Array(text.utf8)
      let (found, expected) = (read { try shapes.frame(frame) }, read { try ClientFrame(frame) })
      #expect(found == expected, "seed \(seed): \(text)")
    }
    #expect(shapes.recognizedWrites > 60, "seed \(seed)")
  }

  /// Returns a list of rows, most of which are such as a shape takes.
  private func rows(_ random: inout SeededGenerator) -> String {
    let isOdd = random.once(in: 4)
    let plain = ["1", "-7.5e2", #""né""#, "null", "true", #""""#]
    let rows = (0..<random.pick([0, 1, 1, 1, 2, 3])).map { _ in
      let values = (0..<random.pick([0, 1, 2, 3])).map { _ in
        random.pick(isOdd ? Self.values : plain)
      }
      let row = "[" + values.joined(separator: random.pick([",", " , "])) + "]"
      guard isOdd, random.once(in: 8) else { return row }
      return random.pick(["7", "{}", "[", row + "]", " " + row])
    }
    return "[" + rows.joined(separator: ",") + (isOdd && random.once(in: 20) ? "" : "]")
  }

  @Test func `frames of writes that differ in plain values are recognized`() throws {
    func frame(_ id: Int, _ rows: String) -> [UInt8] {
      let args = #"{"entity":"A","columns":["a"],"rows":\#(rows)}"#
      return Array(#"{"id":\#(id),"call":"insert","args":\#(args)}"#.utf8)
    }
    var shapes = CallShapes()
    for id in 1...3 { _ = try shapes.frame(frame(id, #"[["x\#(id)"]]"#)) }
    #expect(shapes.recognizedWrites == 1)
    _ = try shapes.frame(frame(4, #"[["a"],["b"],[null]]"#))
    #expect(shapes.recognizedWrites == 2)
    _ = try shapes.frame(frame(5, #"[[{"add":[1]}]]"#))
    #expect(shapes.recognizedWrites == 2)
  }

  @Test func `a program with very many shapes of writes is read like any other`() throws {
    var shapes = CallShapes()
    for number in 0..<3000 {
      let args = #"{"entity":"A\#(number % 40)","columns":["a"],"rows":[[\#(number)]]}"#
      let frame = Array(#"{"id":\#(number + 1),"call":"insert","args":\#(args)}"#.utf8)
      #expect(try shapes.frame(frame) == ClientFrame(frame))
    }
  }

  private func read(_ body: () throws -> ClientFrame) -> Result<ClientFrame, DepotError> {
    Result(catching: body).mapError { $0 as? DepotError ?? DepotError(.bug, "\($0)") }
  }

  /// Returns the calls of these frames.
  private func forms(_ frames: [String]) throws -> [CallForm] {
    var shapes = CallShapes()
    return try frames.map { frame in
      guard case .call(let call) = try shapes.frame(Array(frame.utf8)) else { return CallForm() }
      return call.form
    }
  }

  @Test func `calls that differ in constants have one shape`() throws {
    let frames = [(1, 7), (2, 8), (3, 9), (4, -10), (5, 0)].map { id, number in
      #"{"id":\#(id),"call":"count","args":{"entity":"A","where":"n > $n","bind":{"n":\#(number)}}}"#
    }
    let forms = try forms(frames)
    #expect([0, 1, 3].allSatisfy { forms[$0].shape == nil })
    #expect(forms[2].constants == [9] && forms[4].constants == [0])
    #expect(forms[2].shape != nil && forms[2].shape === forms[4].shape)
    #expect(forms[2].shape?.variables == [0])
  }

  @Test func `what is no constant makes another shape`() throws {
    let frames = (1...6).map { id in
      let limit = id > 3 ? 20 : 10
      return #"{"id":\#(id),"call":"fetch","args":{"entity":"A","limit":\#(limit)}}"#
    }
    let forms = try forms(frames)
    #expect(forms[2].shape != nil)
    #expect(forms[3].shape == nil)
    #expect(forms[5].shape != nil && forms[5].shape !== forms[2].shape)
  }

  @Test func `a frame of many shapes is read like any other`() throws {
    var shapes = CallShapes()
    for round in 0..<3 {
      for number in 0..<5000 {
        let name = String(number, radix: 26).map { $0.isNumber ? "x" : $0 }.map(String.init)
          .joined()
        let frame = Array(
          #"{"id":\#(number + 1),"call":"count","args":{"entity":"\#(name)A\#(round)"}}"#.utf8
        )
        #expect(try shapes.frame(frame) == ClientFrame(frame))
      }
    }
  }
}

import DepotProtocol
import TestSupport
import Testing

extension ServiceTests {
  /// Requests within the limits of their bytes that would take much more of the service.
  @Suite struct MultiplyingRequestTests {
    @Test func `paths of very many steps are refused, and end nothing`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"x","type":"int64"}],"relationships":[\#
          {"name":"a","destination":"A","inverse":"b","optional":true},\#
          {"name":"b","destination":"A","inverse":"a","optional":true}]}]}
          """#
      )
      let connection = NumberedConnection(try RawConnection(daemon.socket))
      func code(_ call: String, _ rest: String) throws -> String? {
        try connection.answer(call, #"{"entity":"A",\#(rest)}"#).errorCode
      }
      for (name, count) in [("a", 20), ("b", 8)] {
        let path = String(repeating: name + ".", count: count) + "x"
        #expect(try code("count", #""where":{"==":[{"attribute":"\#(path)"},1]}"#) == nil)
      }
      for count in [40, 60, 100, 9000] {
        let path = Array(repeating: "b", count: count).joined(separator: ".")
        let codes = [
          try code("count", #""where":{"==":[{"attribute":"\#(path).x"},1]}"#),
          try code("count", #""where":"\#(path).x == 1""#),
          try code("fetch", #""select":["\#(path).x"]"#),
          try code("fetch", #""sort":[{"attribute":"\#(path).x"}]"#),
          try code("update", #""where":"\#(path).x == 1","set":{"x":1}"#),
        ]
        #expect(Set(codes) == ["limit.predicate"], "\(count): \(codes)")
        let prefetched = try code("fetch", #""prefetch":["\#(path)"]"#)
        #expect(prefetched == (count > 60 ? "limit.predicate" : nil))
      }
    }

    @Test func `what doubles with each level, or is very wide, is refused`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"b","type":"bool"}],"relationships":[\#
          {"name":"k","destination":"A","toMany":true},{"name":"p","destination":"A","optional":true}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      try connection.call(1, "insert", #"{"entity":"A","columns":["b"],"rows":[[true],[false]]}"#)
      #expect(try connection.receiveAnswer(of: 1).terminal.errorCode == nil)
      func code(_ id: Int, _ call: String, _ rest: String) throws -> String? {
        try connection.call(id, call, #"{"entity":"A",\#(rest)}"#)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      var predicate = "b"
      for depth in 1...40 {
        predicate = "(\(predicate)) IN {b, TRUE}"
        let code = try code(1 + depth, "count", #""where":"\#(predicate)""#)
        #expect(depth > 4 || code == nil)
        #expect(depth < 16 || code == "limit.predicate")
      }
      let paths = (0..<512).map { number in
        #""\#((0..<9).map { number >> $0 & 1 == 0 ? "k" : "p" }.joined(separator: "."))""#
      }
      #expect(
        try code(100, "fetch", #""prefetch":[\#(paths.joined(separator: ","))]"#)
          == "limit.predicate"
      )
    }

    @Test func `what takes memory or time many times over is refused`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"t","type":"string"},{"name":"n","type":"int64"}]}]}
          """#
      )
      let connection = NumberedConnection(try RawConnection(daemon.socket))
      func code(_ call: String, _ rest: String) throws -> String? {
        try connection.answer(call, #"{"entity":"A",\#(rest)}"#).errorCode
      }
      func repeated(_ text: String, _ count: Int, by separator: String = ",") -> String {
        Array(repeating: text, count: count).joined(separator: separator)
      }
      let long = String(repeating: "x", count: 4 << 20)
      #expect(try code("insert", #""columns":["t","n"],"rows":[["\#(long)",1]]"#) == nil)
      for (uses, expected) in [(6, nil), (20, "limit.predicate"), (300, "limit.predicate")] {
        let condition = repeated("t == $v", uses, by: " AND ")
        for call in ["count", "fetch", "exists", "delete"] where call != "delete" || uses > 6 {
          #expect(try code(call, #""where":"\#(condition)","bind":{"v":"\#(long)"}"#) == expected)
        }
        let sum = repeated("length($v)", uses, by: " + ")
        #expect(
          try code("update", #""where":"n == 1","compute":{"n":"\#(sum)"},"bind":{"v":"\#(long)"}"#)
            == expected
        )
      }
      for (count, expected) in [
        (1500, nil), (2500, "limit.predicate"), (20_000, "limit.predicate"),
      ] {
        #expect(try code("fetch", #""select":[\#(repeated(#""n""#, count))]"#) == expected)
        #expect(try code("get", #""ids":[1],"select":[\#(repeated(#""n""#, count))]"#) == expected)
        let values = (0..<count).map {
          #"{"name":"c\#($0)","aggregate":"max","of":{"attribute":"n"}}"#
        }
        #expect(try code("aggregate", #""values":[\#(values.joined(separator: ","))]"#) == expected)
      }
      let key = #"{"attribute":"n"}"#
      #expect(try code("fetch", #""sort":[\#(repeated(key, 64))]"#) == nil)
      #expect(
        try code("fetch", #""sort":[\#(repeated(key, 64))],"after":[\#(repeated("1", 65))]"#) == nil
      )
      #expect(try code("fetch", #""sort":[\#(repeated(key, 65))]"#) == "limit.predicate")
      let sum = repeated("n == 1", 250, by: " OR ")
      for (count, expected) in [(4, nil), (6, "limit.predicate")] {
        let keys = repeated(#"{"key":"\#(sum)"}"#, count)
        #expect(try code("fetch", #""sort":[\#(keys)]"#) == expected)
      }
    }

    @Test func `what multiplies in the service's hands is answered at once`() throws {
      let daemon = try TestDaemon(
        schema: #"""
          {"entities":[{"name":"A","attributes":[{"name":"n","type":"int64"}],"relationships":[\#
          {"name":"k","destination":"A","toMany":true}]}]}
          """#
      )
      let connection = try RawConnection(daemon.socket)
      var id = 0
      func code(_ call: String, _ arguments: String) throws -> String? {
        id += 1
        try connection.call(id, call, arguments)
        return try connection.receiveAnswer(of: id).terminal.errorCode
      }
      func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ",")
      }
      #expect(try code("insert", #"{"entity":"A","columns":["n"],"rows":[[1],[2]]}"#) == nil)

      // Lists of lists of elements.
      var predicate = "true"
      for level in (0..<9).reversed() {
        let name = level == 0 ? "SELF" : "v\(level - 1)"
        let elements = list(10) { _ in #"{"variable":"\#(name)"}"# }
        predicate = #"{"any":[{"values":[\#(elements)]},\#(predicate)],"variable":"v\#(level)"}"#
      }
      id += 1
      try connection.call(id, "watch", #"{"count":{"entity":"A","where":\#(predicate)}}"#)
      try connection.send(#"{"id":\#(id),"cancel":true}"#)
      #expect(try connection.receiveAnswer(of: id).terminal.errorCode == "cancelled.by_client")

      // Names that are nearly right, and long or many.
      let long = String(repeating: "é", count: 4 << 20)
      #expect(try code(long, "{}") == "request.unknown_op")
      let names = list(40_000) { #""\#(String(repeating: "x", count: 90))\#($0)":1"# }
      let unbound =
        #"{"entity":"A","where":{"==":[{"variable":"\#(String(repeating: "y", count: 90))"},1]}"#
      #expect(try code("count", unbound + #","bind":{\#(names)}}"#) == "request.predicate")

      // Many names in one request, and lists of what isn't a name.
      let set = list(100_000) { #""a\#($0)":0"# }
      let compute = list(1000) { #""b\#($0)":1"# }
      #expect(
        try code("update", #"{"entity":"A","ids":[1],"set":{\#(set)},"compute":{\#(compute)}}"#)
          == "schema.unknown_attribute"
      )
      let change =
        #"{"entity":"A","columns":["$id","$version"],"rows":[],"base":{"columns":[],"rows":[]}}"#
      #expect(try code("save", #"{"update":[\#(list(60_000) { _ in change })]}"#) == nil)
      let removed = list(500_000) { _ in "1" }
      #expect(
        try code("update", #"{"entity":"A","ids":[1],"set":{"k":{"remove":[\#(removed)]}}}"#) == nil
      )
      let paths = list(330) { number in
        let steps =
          (0..<9).map { number >> $0 & 1 == 0 ? "k" : "n" } + Array(repeating: "k", count: 50)
        return #"{"==":[{"attribute":"\#(steps.joined(separator: "."))"},1]}"#
      }
      #expect(try code("count", #"{"entity":"A","where":{"and":[\#(paths)]}}"#) != nil)
      #expect(try code("count", #"{"entity":"A"}"#) == nil)
    }

    @Test func `a row that is larger than a frame has lengths of the values that do not fit`()
      throws
    {
      let names = (0..<20).map { "t\($0)" }
      let attributes = names.map { #"{"name":"\#($0)","type":"string","optional":true}"# }
      let daemon = try TestDaemon(
        schema: #"{"entities":[{"name":"A","attributes":[\#(attributes.joined(separator: ","))]}]}"#
      )
      let connection = NumberedConnection(try RawConnection(daemon.socket))
      func answer(_ call: String, _ rest: String) throws -> JSONValue {
        try connection.answer(call, #"{"entity":"A",\#(rest)}"#)
      }
      let long = String(repeating: "x", count: 4 << 20)
      #expect(try answer("insert", #""columns":["t0"],"rows":[["\#(long)"]]"#).errorCode == nil)
      #expect(try answer("get", #""ids":[1]"#)["ok", "rows"] != nil)
      let compute = names.dropFirst().map { #""\#($0)":{"attribute":"t0"}"# }.joined(separator: ",")
      #expect(try answer("update", #""ids":[1],"compute":{\#(compute)}"#).errorCode == nil)
      let row = try #require(try answer("get", #""ids":[1]"#)["ok", "rows"]?.array?.first?.array)
      let lengths = row.compactMap { $0["$length"]?.int64 }
      #expect(lengths.allSatisfy { $0 == 4 << 20 })
      #expect(lengths.count == 17)
      #expect(row.count { $0.string == long } == 3)
      #expect(try answer("fetch", #""limit":1"#).errorCode == nil)
      for name in names {
        let row = try answer("get", #""ids":[1],"select":["\#(name)"]"#)["ok", "rows"]
        #expect(row?.array?.first?.array?.last?.string == long)
      }
    }
  }
}

/// A connection whose calls are made one after the other.
private final class NumberedConnection {
  private let connection: RawConnection
  private var id = 0

  init(_ connection: RawConnection) { self.connection = connection }

  /// Makes a call, and returns its terminal frame.
  func answer(_ call: String, _ arguments: String) throws -> JSONValue {
    id += 1
    try connection.call(id, call, arguments)
    return try connection.receiveAnswer(of: id).terminal
  }
}

import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct LiveReaderTests {
  private static let store = "0123abcd"
  private var reader = LiveReader<String> { try $0.next() }

  private func token(_ sequence: Int64) -> HistoryToken {
    HistoryToken(store: Self.store, sequence: sequence)
  }

  /// Takes frames, of which each but the last tells nothing.
  private mutating func receive(_ frames: String...) throws -> LiveEvent<String>? {
    var event: LiveEvent<String>?
    for frame in frames {
      if let event { Issue.record("\(event)") }
      event = try reader.receive(Array(frame.utf8))
    }
    return event
  }

  private static let begin = #"{"id":1,"kind":"snapshot","columns":["$id","$version","name"],"#
  private static let live = #"{"id":1,"kind":"live","token":"0123abcd-5","next":[]}"#

  private mutating func start() throws {
    _ = try receive(Self.begin + #""next":[[1,1,"a"],[2,1,"b"],[3,1,"c"]]}"#, Self.live)
  }

  private var contents: [String]? { reader.rows?.contents }

  @Test mutating func `a snapshot comes in parts and counts when it is live`() throws {
    #expect(try receive(Self.begin + #""next":[[1,1,"a"]]}"#).isNothing)
    #expect(reader.columns == ["$id", "$version", "name"])
    #expect(reader.rows == nil)
    let event = try receive(#"{"id":1,"kind":"snapshot","next":[[2,4,"b"]]}"#, Self.live)
    guard case .snapshot(let rows)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(rows.map(\.identifier) == [1, 2])
    #expect(rows.map(\.version) == [1, 4])
    #expect(rows.token == token(5))
    #expect(reader.token == token(5))
  }

  @Test mutating func `a row that was read with its large value stays until a newer one`() throws {
    let begin = Array((Self.begin + #""next":[[1,1,{"$length":9000000}]]}"#).utf8)
    let error = #expect(throws: DepotError.self) { try reader.receive(begin) }
    #expect(error?.message.contains("only the length") == true)
    #expect(try reader.incompleteRows(of: begin) == [1])
    let whole = LiveRow(identifier: 1, version: 3, content: "third")
    #expect(try reader.receive(begin, with: [1: whole]).isNothing)
    _ = try receive(Self.live)
    #expect(reader.rows?.first == whole)
    func change(_ version: Int, _ value: String) -> String {
      #"{"id":1,"kind":"change","token":"0123abcd-\#(version + 5)","next":[[1,\#(version),\#(value)]],"#
        + #""changes":[{"kind":"updated","at":0,"from":0,"properties":["name"]}]}"#
    }
    _ = try receive(change(2, #""second""#))
    #expect(reader.rows?.first == whole)
    _ = try receive(change(3, #"{"$length":9000000}"#))
    #expect(reader.rows?.first == whole)
    _ = try receive(change(4, #""fourth""#))
    #expect(contents == ["fourth"])
  }

  @Test mutating func `an empty result needs no rows`() throws {
    let event = try receive(Self.live)
    guard case .snapshot(let rows)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(rows.isEmpty)
  }

  @Test mutating func `a change has places, an author, and the names of what changed`() throws {
    try start()
    let event = try receive(
      #"{"id":1,"kind":"change","token":"0123abcd-6","author":"me","next":[[9,1,"x"],[1,2,"d"]],"#
        + #""changes":[{"kind":"inserted","at":0},{"kind":"updated","at":2,"from":0,"#
        + #""properties":["name"]}],"removed":[{"id":2,"from":1}]}"#
    )
    guard case .change(let change)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(change.author == "me")
    #expect(change.inserted.map(\.identifier) == [9])
    #expect(change.placed.last?.properties == ["name"])
    #expect(change.removed == [.init(identifier: 2, from: 1)])
    #expect(contents == ["x", "c", "d"])
    #expect(reader.token == token(6))
  }

  @Test mutating func `the parts of a change are applied together`() throws {
    try start()
    let event = try receive(
      #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"more":true,"#
        + #""changes":[{"kind":"inserted","at":3}]}"#,
      #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[8,1,"y"]],"#
        + #""changes":[{"kind":"inserted","at":0}],"removed":[{"id":2,"from":1}]}"#
    )
    #expect(contents == ["y", "a", "c", "x"])
    guard case .change(let change)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(change.placed.map(\.at) == [0, 3])
  }

  @Test mutating func `what comes incompletely before a lost connection is forgotten`() throws {
    try start()
    _ = try receive(
      #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"more":true,"#
        + #""changes":[{"kind":"inserted","at":0}]}"#
    )
    reader.restart()
    #expect(reader.token == token(5))
    let event = try receive(
      #"{"id":2,"kind":"resume","token":"0123abcd-8","next":[[7,1,"z"]],"order":[1,7,3]}"#
    )
    guard case .change(let change)? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(change.removed == [.init(identifier: 2, from: 1)])
    #expect(contents == ["a", "z", "c"])
    let next = try receive(#"{"id":2,"kind":"live","token":"0123abcd-9","next":[]}"#)
    guard case .current(token(9))? = next else { return #expect(Bool(false), "\(next as Any)") }
    #expect(contents == ["a", "z", "c"])
  }

  @Test mutating func `nothing new after a lost connection tells only the moment`() throws {
    try start()
    reader.restart()
    let event = try receive(
      #"{"id":2,"kind":"resume","token":"0123abcd-8","next":[],"order":[1,2,3]}"#
    )
    guard case .current(token(8))? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(reader.token == token(8))
  }

  @Test mutating func `the service may begin anew instead`() throws {
    try start()
    reader.restart()
    let event = try receive(
      Self.begin + #""next":[[4,1,"d"]]}"#,
      #"{"id":2,"kind":"live","token":"0123abcd-9","next":[]}"#
    )
    guard case .snapshot? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(contents == ["d"])
  }

  @Test mutating func `a gap is followed by a snapshot`() throws {
    try start()
    let event = try receive(
      #"{"id":1,"kind":"gap","from":"0123abcd-5","to":"0123abcd-99","next":[]}"#,
      #"{"id":1,"kind":"snapshot","next":[[5,1,"e"]]}"#,
      #"{"id":1,"kind":"live","token":"0123abcd-99","next":[]}"#
    )
    guard case .snapshot? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(contents == ["e"])
  }

  @Test mutating func `a mark moves the moment only`() throws {
    try start()
    let event = try receive(#"{"id":1,"kind":"mark","token":"0123abcd-70","next":[]}"#)
    guard case .current? = event else { return #expect(Bool(false), "\(event as Any)") }
    #expect(reader.token == token(70))
    #expect(contents == ["a", "b", "c"])
  }

  @Test mutating func `a kind that isn't known is left alone`() throws {
    try start()
    #expect(try receive(#"{"id":1,"kind":"weather","sun":true,"next":[]}"#).isNothing)
    #expect(contents == ["a", "b", "c"])
  }

  @Test mutating func `one who has only a token is told the order and then changes`() throws {
    reader = LiveReader(since: token(3)) { try $0.next() }
    let event = try receive(
      #"{"id":1,"kind":"resume","token":"0123abcd-5","next":[[2,2,"b"]],"order":[3,2]}"#
    )
    guard case .resumed(let resumption)? = event else {
      return #expect(Bool(false), "\(event as Any)")
    }
    #expect(resumption.order == [3, 2])
    #expect(resumption.rows.map(\.content) == ["b"])
    _ = try receive(Self.live)
    let next = try receive(
      #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"#
        + #""changes":[{"kind":"inserted","at":1}],"removed":[{"id":3,"from":0}]}"#
    )
    guard case .change? = next else { return #expect(Bool(false), "\(next as Any)") }
    #expect(reader.rows == nil)
    #expect(reader.token == token(6))
  }

  @Test mutating func `without one's own changes the rows aren't known and changes are told`()
    throws
  {
    reader = LiveReader(RowReading(), isComplete: false) { try $0.next() }
    try start()
    #expect(reader.rows == nil)
    let event = try receive(
      #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"#
        + #""changes":[{"kind":"inserted","at":17}]}"#
    )
    guard case .change? = event else { return #expect(Bool(false), "\(event as Any)") }
    reader.restart()
    #expect(reader.token == token(6))
    let next = try receive(
      #"{"id":2,"kind":"resume","token":"0123abcd-8","next":[],"order":[1,5]}"#
    )
    guard case .resumed? = next else { return #expect(Bool(false), "\(next as Any)") }
  }

  static let broken = [
    #"{"id":1,"next":[]}"#,
    #"{"id":1,"kind":"change","next":[]}"#,
    #"{"id":1,"kind":"live","token":"nonsense","next":[]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[],"changes":[{"kind":"inserted","at":0}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"changes":[{"kind":"inserted"}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"changes":[{"kind":"updated","at":0}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"changes":[{"kind":"inserted","at":0,"from":1}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,"x"]],"changes":[{"kind":"inserted","at":-1}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[],"changes":[],"removed":[{"id":1}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[],"changes":[],"removed":[{"id":1,"from":1}]}"#,
    #"{"id":1,"kind":"change","token":"0123abcd-6","next":[[9,1,7]],"changes":[{"kind":"inserted","at":0}]}"#,
    #"{"id":1,"kind":"resume","token":"0123abcd-6","next":[],"order":[1,4]}"#,
    #"{"id":1,"kind":"change","token":"#,
  ]

  @Test(arguments: broken)
  mutating func `what isn't a frame of a watch is a typed error`(frame: String) throws {
    try start()
    let copy = reader
    var reader = copy
    #expect(throws: DepotError.self) { try reader.receive(Array(frame.utf8)) }
  }
}

extension Optional {
  fileprivate var isNothing: Bool { if case .none = self { true } else { false } }
}

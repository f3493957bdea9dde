/// One call of a client, with all members of its frame.
package struct Call: Sendable {
  /// The longest deadline, in milliseconds.
  package static let deadlineLimit = 86_400_000

  /// The number that the replies repeat; it increases with every call of a connection.
  package var id: Int64
  package var operation: Operation {
    get { form.operation ?? pattern }
    set { (pattern, form) = (newValue, CallForm()) }
  }
  /// The ``operation``, or the one of a call of the same shape: they differ in whole numbers only.
  package private(set) var pattern: Operation
  private var rest: Rest = .empty
  /// The shape and the numbers of the call, from which its operation is made when it is needed.
  package private(set) var form = CallForm()

  /// The options of a call, in memory of their own: most calls have none, and a call is copied often.
  private indirect enum Rest: Hashable, Sendable {
    case empty
    case options(CallOptions)
  }

  /// Creates a call.
  package init(
    id: Int64,
    _ operation: Operation,
    deadlineMilliseconds: Int? = nil,
    credit: Int? = nil,
    key: String? = nil,
    container: String? = nil,
    pin: String? = nil,
    author: String? = nil,
    group: String? = nil,
    predecessor: Int? = nil
  ) {
    self.id = id
    pattern = operation
    options = CallOptions(
      deadlineMilliseconds: deadlineMilliseconds,
      credit: credit,
      key: key,
      container: container,
      pin: pin,
      author: author,
      group: group,
      predecessor: predecessor
    )
  }

  /// Returns another call of the same shape.
  func with(id: Int64, _ form: CallForm) -> Call {
    var result = self
    result.id = id
    result.form = form
    return result
  }

  /// The members besides the id, the operation, and its arguments.
  package var options: CallOptions {
    get { if case .options(let options) = rest { options } else { CallOptions() } }
    set { rest = newValue == CallOptions() ? .empty : .options(newValue) }
  }

  /// Whether it has any of the ``options``.
  package var hasOptions: Bool { if case .empty = rest { false } else { true } }

  package var deadlineMilliseconds: Int? { hasOptions ? options.deadlineMilliseconds : nil }
  package var credit: Int? { hasOptions ? options.credit : nil }
  package var key: String? { hasOptions ? options.key : nil }
  package var container: String? { hasOptions ? options.container : nil }
  package var pin: String? { hasOptions ? options.pin : nil }
  package var author: String? {
    get { hasOptions ? options.author : nil }
    set { options.author = newValue }
  }
  package var group: String? { hasOptions ? options.group : nil }
  package var predecessor: Int? {
    get { hasOptions ? options.predecessor : nil }
    set { options.predecessor = newValue }
  }
}

extension Call: Hashable {
  package static func == (left: Call, right: Call) -> Bool {
    left.id == right.id && left.rest == right.rest && left.operation == right.operation
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(rest)
    hasher.combine(operation)
  }
}

/// The members that a call may have besides its id, its operation, and its arguments.
@Memberwise
package struct CallOptions: Hashable, Sendable {
  /// How long the client waits, in milliseconds from receipt.
  package var deadlineMilliseconds: Int?
  /// The most `next` frames before the client asks for more; `nil` for no limit.
  package var credit: Int?
  /// The idempotency key of a write.
  package var key: String?
  /// The container that the call is about; the connection's own if `nil`.
  package var container: String?
  /// The name of the snapshot that a read is about; the latest if `nil`.
  package var pin: String?
  /// The author of the write in the history; the connection's author if `nil`.
  package var author: String?
  /// The group of the write's transaction; transactions of a group can be undone together.
  package var group: String?
  /// The id of an earlier write of the connection; this write is done only if that one succeeds.
  package var predecessor: Int?
}

/// A frame that a client sends.
///
/// Rare and large payloads are `indirect`, since every frame is as large as the largest case.
package enum ClientFrame: Hashable, Sendable {
  indirect case hello(Hello)
  case call(Call)
  /// A call whose arguments are invalid; the connection stays open.
  indirect case invalidCall(id: Int64, DepotError)
  /// A `more` or `cancel` that is invalid; the error has no id, as it would end that call.
  indirect case invalidControl(DepotError)
  case more(id: Int64, Int)
  case cancel(id: Int64)
  case ping(Int64)
  case pong(Int64)
}

extension ClientFrame {
  /// Reads a frame from its JSON.
  ///
  /// - Throws: ``DepotError`` if the frame can't be attributed to a call.
  package init(_ bytes: [UInt8]) throws(DepotError) {
    let document = try JSONDocument(bytes)
    var reader = try JSONObjectReader(document.root)
    if let node = reader.optional("id") {
      let id = try Self.identifier(node)
      do {
        self = try Self.numbered(id, &reader)
      } catch {
        let names = ["call", "more", "cancel"].map { document.root.member($0) != nil }
        let isControl = !names[0] && (names[1] || names[2])
        self = isControl ? .invalidControl(error) : .invalidCall(id: id, error)
      }
      return
    }
    if let node = reader.optional("hello") {
      self = .hello(try RequestReader.object(node))
    } else if let node = reader.optional("ping") {
      self = .ping(try node.int64())
    } else if let node = reader.optional("pong") {
      self = .pong(try node.int64())
    } else {
      throw DepotError(.frame, "A frame has \"id\", \"hello\", \"ping\", or \"pong\".")
        .hint(#"A call looks like {"id":1,"call":"ping","args":{}}."#)
    }
    try reader.finish()
  }

  private static func identifier(_ node: JSONNode) throws(DepotError) -> Int64 {
    let id = try node.int64()
    guard 1..<(1 << 53) ~= id else {
      throw DepotError(.sequence, "An id is from 1 to 2^53-1, not \(id).")
    }
    return id
  }

  private static func numbered(
    _ id: Int64,
    _ reader: inout JSONObjectReader
  ) throws(DepotError) -> ClientFrame {
    let frame: ClientFrame
    if let name = reader.optional("call") {
      frame = .call(try call(id, name, &reader))
    } else if let node = reader.optional("cancel") {
      guard try node.bool() else { throw DepotError(.type, "\"cancel\" can only be true.") }
      frame = .cancel(id: id)
    } else if let credit = try reader.optionalInt("more", in: 1...1_000_000_000) {
      frame = .more(id: id, credit)
    } else {
      throw DepotError(.missingMember, "A numbered frame has \"call\", \"more\", or \"cancel\".")
    }
    try reader.finish()
    return frame
  }

  private static func call(
    _ id: Int64,
    _ name: JSONNode,
    _ reader: inout JSONObjectReader
  ) throws(DepotError) -> Call {
    let arguments = reader.optional("args")
    var call = Call(id: id, try Operation(name, arguments: arguments))
    // Most calls have nothing else.
    if reader.isAtEnd { return call }
    var coder = RequestReader(reader)
    var options = CallOptions()
    try options.members(&coder)
    call.options = options
    reader = coder.members
    if let key = call.key, !(1...Limits.keyBytes ~= key.utf8.count) {
      throw DepotError(.numberRange, "A key has 1 to \(Limits.keyBytes) bytes.").at("/key")
    }
    if call.key != nil, !call.operation.isWrite {
      throw DepotError(.usage, "Only a write can have a key.").at("/key")
    }
    if call.container != nil, !call.operation.declaration.isInContainer {
      throw DepotError(.usage, "\"\(call.operation.name)\" isn't about one container.")
        .at("/container")
    }
    if call.pin != nil, !call.operation.declaration.isPinnable {
      throw DepotError(.usage, "\"\(call.operation.name)\" can't be about a pin.").at("/pin")
    }
    if call.predecessor != nil, !call.operation.isWrite {
      throw DepotError(.usage, "Only a write comes after another.").at("/after")
    }
    if call.author != nil || call.group != nil, !call.operation.isWrite {
      throw DepotError(.usage, "Only a write has an author or a group.")
        .at(call.author == nil ? "/group" : "/author")
    }
    return call
  }
}

extension CallOptions {
  /// Passes the members to a coder.
  fileprivate mutating func members<Coder: MemberCoder>(
    _ coder: inout Coder
  ) throws(Coder.Failure) {
    try coder.number("deadlineMs", &deadlineMilliseconds, in: 0...Call.deadlineLimit)
    try coder.number("credit", &credit, in: 1...1_000_000_000)
    try coder.optional("key", &key)
    try coder.optional("container", &container)
    try coder.optional("pin", &pin)
    try coder.historyName("author", &author)
    try coder.historyName("group", &group)
    try coder.number("after", &predecessor, in: 1...1 << 53 - 1)
  }
}

extension JSONWriter {
  /// Writes the frame of a call.
  package mutating func write(_ call: Call) {
    raw("{\"id\":")
    integer(call.id)
    raw(",\"call\":\"")
    raw(call.operation.name.utf8)
    raw("\",\"args\":")
    object(call.operation)
    var options = call.options
    options.members(&self)
    raw("}")
  }
}

extension MemberCoder {
  /// Passes the name of an author, a process, or a group for the history.
  mutating func historyName(_ name: StaticString, _ value: inout String?) throws(Failure) {
    let bytes = 1...256
    try optional(name, &value)
    guard Self.isReader, let value, !bytes.contains(value.utf8.count) else { return }
    try check { (node) throws(DepotError) in
      throw DepotError(.numberRange, "\"\(name)\" has 1 to \(bytes.upperBound) bytes.")
        .at("\(node.pointer)/\(name)")
    }
  }
}

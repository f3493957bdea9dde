/// A reader of frames that recognizes frames like earlier ones.
///
/// Programs send the same frame again and again with another id, other identifiers, and other
/// constants. A frame that differs from an earlier one in whole numbers only is recognized by its
/// bytes, and read without parsing its JSON and its predicate again.
package struct CallShapes {
  /// The shapes kept for one outline, and for outlines with the same bucket of hashes.
  private static let mostSame = 4
  private static let mostAlike = 8
  private static let buckets = 64

  /// The shape that was found last, which is tried before the outline of a frame is made.
  private var last: CallShape?
  private var shapes = [[CallShape]](repeating: [], count: buckets)
  /// The hashes of outlines seen once; a shape is determined when one is seen again.
  private var seen = [UInt64](repeating: 0, count: 256)
  private var outline = FrameOutline()
  private var writes = WriteShapes()

  /// The number of write frames recognized by their shape.
  package var recognizedWrites: Int { writes.recognized }

  package init() {}

  /// Reads a frame as ``ClientFrame/init(_:)`` does.
  package mutating func frame(_ bytes: [UInt8]) throws(DepotError) -> ClientFrame {
    try bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in try frame(bytes) }
  }

  /// Reads a frame without a copy of its bytes if it has a known shape.
  mutating func frame(_ text: UnsafeBufferPointer<UInt8>) throws(DepotError) -> ClientFrame {
    let raw = UnsafeRawBufferPointer(text)
    if let last, last.takeNumbers(raw, &outline), let call = last.call(outline) {
      return .call(call)
    }
    if let call = writes.call(text) { return .call(call) }
    guard outline.take(raw) else {
      let bytes = Array(text)
      let frame = try ClientFrame(bytes)
      writes.learn(bytes, frame)
      return frame
    }
    let bucket = Int(outline.hash >> 58)
    var same = 0
    for shape in shapes[bucket] where shape.isLike(raw, outline) {
      if let call = shape.call(outline) {
        last = shape
        return .call(call)
      }
      same += 1
    }
    let bytes = Array(text)
    let frame = try ClientFrame(bytes)
    writes.learn(bytes, frame)
    guard case .call(let call) = frame, call.operation.hasShape, same < Self.mostSame else {
      return frame
    }
    let place = Int(outline.hash & 255)
    guard seen[place] == outline.hash else {
      seen[place] = outline.hash
      return frame
    }
    guard let shape = CallShape(bytes, call, outline) else { return frame }
    if shapes[bucket].count == Self.mostAlike { shapes[bucket].removeFirst() }
    shapes[bucket].append(shape)
    return frame
  }
}

/// The shapes of inserts and saves, the last one found first.
private struct WriteShapes {
  /// The most shapes.
  private static let most = 16
  /// The number of frames for each shape that is made, since making one costs as much as reading.
  private static let cost = 16

  private var shapes: [WriteShape] = []
  /// The hashes of calls seen once; a shape is made when one is seen again.
  private var seen = [Int](repeating: 0, count: 64)
  /// The number of frames since shapes were made, up to the cost of all shapes.
  private var saved = Self.most * Self.cost
  /// The number of frames recognized by their shape.
  private(set) var recognized = 0

  /// Returns the call of a frame that has one of the shapes.
  mutating func call(_ bytes: UnsafeBufferPointer<UInt8>) -> Call? {
    for index in shapes.indices {
      guard let call = shapes[index].call(bytes) else { continue }
      if index > 0 { shapes.insert(shapes.remove(at: index), at: 0) }
      recognized += 1
      return call
    }
    return nil
  }

  /// Makes the shape of a frame if a similar frame was seen before.
  mutating func learn(_ bytes: [UInt8], _ frame: ClientFrame) {
    guard case .call(let call) = frame, let hash = call.writeShapeHash else { return }
    saved = min(saved + 1, Self.most * Self.cost)
    guard seen[hash & 63] == hash, saved >= Self.cost else {
      seen[hash & 63] = hash
      return
    }
    saved -= Self.cost
    // The rows may have values that a shape doesn't support.
    guard let shape = WriteShape(bytes, call),
      bytes.withUnsafeBufferPointer({ shape.call($0) }) == call
    else { return }
    if shapes.count == Self.most { shapes.removeLast() }
    shapes.insert(shape, at: 0)
  }
}

extension Call {
  /// A hash that calls of the same ``WriteShape`` share; `nil` if the call has no shape.
  fileprivate var writeShapeHash: Int? {
    var hasher = Hasher()
    switch operation {
    case .insert(let request):
      hasher.combine(request.entity)
      hasher.combine(request.columns)
    case .save(let request) where request.staged == nil:
      for insertion in request.inserts {
        hasher.combine(insertion.entity)
        hasher.combine(insertion.columns)
      }
      for change in request.updates {
        hasher.combine(change.entity)
        hasher.combine(change.columns)
      }
    default: return nil
    }
    return hasher.finalize()
  }
}

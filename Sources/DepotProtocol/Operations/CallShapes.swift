/// A reader of frames that recognizes frames like earlier ones.
///
/// A program sends the same frame again and again with another id, other identifiers, and other constants. One that
/// differs from an earlier frame in whole numbers only is recognized by its bytes, and read without its JSON and its
/// predicate being parsed again.
package struct CallShapes {
  /// How many shapes of one outline are kept, and how many whose outlines have hashes that are alike.
  private static let mostSame = 4
  private static let mostAlike = 8
  private static let buckets = 64

  private var shapes = [[CallShape]](repeating: [], count: buckets)
  /// The hashes of outlines that came once; a shape is found out when one comes again.
  private var seen = [UInt64](repeating: 0, count: 256)
  private var outline = FrameOutline()

  package init() {}

  /// Reads a frame as ``ClientFrame/init(_:)`` does.
  package mutating func frame(_ bytes: [UInt8]) throws(DepotError) -> ClientFrame {
    guard outline.take(bytes) else { return try ClientFrame(bytes) }
    let bucket = Int(outline.hash >> 58)
    var same = 0
    for shape in shapes[bucket] where shape.isLike(bytes, outline) {
      if let call = shape.call(outline) { return .call(call) }
      same += 1
    }
    let frame = try ClientFrame(bytes)
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

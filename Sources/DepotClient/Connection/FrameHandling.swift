internal import DepotProtocol

/// What to do with the frames of a stream.
struct FrameHandling {
  private var reading = RowReading()
  private var columns: (([String]) throws -> Void)?
  private var related: ((RelatedBlock) throws -> Void)?
  private var rows: ((inout RowReader) throws -> Void)?
  private var frames: ((StreamFrame) throws -> Void)?

  /// Does nothing.
  init() {}

  /// Takes each frame as it came.
  init(frames: ((StreamFrame) throws -> Void)?) {
    self.frames = frames
  }

  init(
    _ reading: RowReading,
    _ columns: (([String]) throws -> Void)?,
    _ related: ((RelatedBlock) throws -> Void)?,
    _ rows: ((inout RowReader) throws -> Void)?
  ) {
    self.reading = reading
    self.columns = columns
    self.related = related
    self.rows = rows
  }

  /// Does it with a frame whose rows begin at `offset`.
  func handle(_ bytes: [UInt8], columns names: [String]?, at offset: Int) throws {
    if let names { try columns?(names) }
    if let related { for block in try RelatedBlock.all(in: bytes) { try related(block) } }
    if let rows { try bytes.withRows(at: offset, reading, rows) }
    try frames?(StreamFrame(columns: names, bytes: bytes, rowsOffset: offset))
  }
}

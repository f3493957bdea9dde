/// A part of a text or of data that is stored outside its row.
public struct BlobReadRequest: Hashable, Sendable {
  public var entity: String
  public var identifier: Int64
  /// The path of the attribute, which must have the option `externalStorage`.
  public var attribute: String
  /// The first byte; of a text, counted in UTF-8.
  public var offset: Int
  /// How many bytes at most; all that follow if `nil`.
  public var length: Int?

  public init(
    entity: String,
    identifier: Int64,
    attribute: String,
    offset: Int = 0,
    length: Int? = nil
  ) {
    self.entity = entity
    self.identifier = identifier
    self.attribute = attribute
    self.offset = offset
    self.length = length
  }
}

/// A change of a text or of data that is stored outside its row.
public struct BlobWriteRequest: Hashable, Sendable {
  /// Where the bytes go.
  public enum Place: Hashable, Sendable {
    /// They take the place of the whole value.
    case whole
    /// Over those that are there, from an offset that is no greater than the length.
    case offset(Int)
    /// After the last.
    case end
  }

  public var entity: String
  public var identifier: Int64
  /// The path of the attribute, which must have the option `externalStorage`.
  public var attribute: String
  /// The bytes: a text, or data in base64.
  public var data: String
  public var place: Place
  /// Whether what is behind the bytes goes.
  public var truncates: Bool
  /// The name of a new value that several calls make, of which nobody else sees anything before the
  /// last; it goes with the connection.
  ///
  /// The offset, if there is one, must be what was uploaded before, so that nothing can be missing.
  public var upload: String?
  /// Whether the new value is complete and takes the place of the old one.
  public var isFinal: Bool

  public init(
    entity: String,
    identifier: Int64,
    attribute: String,
    data: String = "",
    place: Place = .whole,
    truncates: Bool = false,
    upload: String? = nil,
    isFinal: Bool = false
  ) {
    self.entity = entity
    self.identifier = identifier
    self.attribute = attribute
    self.data = data
    self.place = place
    self.truncates = truncates
    self.upload = upload
    self.isFinal = isFinal
  }
}

public import DepotProtocol
public import FoundationEssentials

/// A text or data in external storage that a row has the length of, and whose bytes are read when
/// they are wanted.
///
/// ```swift
/// struct Photo: Record {
///   var image: LargeValue<Data>?
///   …
/// }
/// let photo = try connection.get(identifier)
/// print(photo.image?.length ?? 0)
/// let image = try connection.load(\Photo.image, of: identifier)
/// ```
///
/// A record with such a property never takes the bytes along. One with a `Data` or `String` always does: if
/// there are more than `Limits.valueBytes`, they are read after the row, of any size that fits into memory.
public enum LargeValue<Content: LargeContent>: Sendable {
  /// The whole value, to be stored.
  case value(Content)
  /// How many bytes the store has. It can't be stored: the service refuses it, so that a record
  /// that was read never overwrites the bytes.
  case length(Int)

  /// How many bytes there are; of a text, in UTF-8.
  public var length: Int {
    switch self {
    case .value(let content): content.largeBytes.count
    case .length(let count): count
    }
  }

  /// The value, if it is known.
  public var value: Content? {
    if case .value(let content) = self { content } else { nil }
  }
}

extension LargeValue: Equatable where Content: Equatable {}
extension LargeValue: Hashable where Content: Hashable {}

/// A type that ``LargeValue`` can hold: `String` or `Data`.
public protocol LargeContent: AttributeValue {
  /// Creates the value of bytes; `nil` if they aren't valid.
  init?(largeBytes: [UInt8])

  var largeBytes: [UInt8] { get }
}

extension String: LargeContent {
  public init?(largeBytes: [UInt8]) { self.init(validating: largeBytes, as: UTF8.self) }
  public var largeBytes: [UInt8] { Array(utf8) }
}

extension Data: LargeContent {
  public init?(largeBytes: [UInt8]) { self.init(largeBytes) }
  public var largeBytes: [UInt8] { Array(self) }
}

extension LargeValue: AttributeValue {
  public static var attributeType: AttributeType { Content.attributeType }

  public static func describe(_ attribute: inout Attribute) {
    Content.describe(&attribute)
    attribute.options.insert(.externalStorage)
  }

  public static func read(from row: inout RowReader) throws(DepotError) -> LargeValue {
    let field = try row.field()
    if let length = field.externalLength ?? field.int64 { return .length(Int(length)) }
    guard case let value? = field.value(as: attributeType), let content = Content(large: value)
    else {
      throw DepotError(.type, "Expected a \(attributeType.rawValue) or its length.")
    }
    return .value(content)
  }

  public var attributeValue: Value {
    switch self {
    case .value(let content): content.attributeValue
    case .length(let count): .json("{\"$length\":\(count)}")
    }
  }
}

extension LargeContent {
  fileprivate init?(large value: Value) {
    switch value {
    case .string(let text): self.init(largeBytes: Array(text.utf8))
    case .data(let data): self.init(largeBytes: Array(data))
    default: return nil
    }
  }
}

extension LargeValue: Codable where Content: Codable {
  public init(from decoder: any Decoder) throws {
    self = .value(try decoder.singleValueContainer().decode(Content.self))
  }

  /// Encodes the value.
  ///
  /// - Throws: `EncodingError` if only the length is known.
  public func encode(to encoder: any Encoder) throws {
    guard let value else {
      let context = EncodingError.Context(
        codingPath: encoder.codingPath,
        debugDescription: "Only the length of the value is known."
      )
      throw EncodingError.invalidValue(self, context)
    }
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

/// A property that holds only the length of a value.
protocol LengthOnly {}

extension LargeValue: LengthOnly {}
extension Optional: LengthOnly where Wrapped: LengthOnly {}

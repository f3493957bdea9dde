internal import DepotProtocol
internal import Foundation

/// The codec of values that a transformer converts to data.
final class TransformableCodec<Content>: AttributeCodec {
  private let name: String
  private let isOptional: Bool
  private let standIn: Content?

  init(_: Content.Type, _ name: String) {
    self.name = name
    isOptional = Content.self is any OptionalType.Type
    standIn = Placeholder.of(Content.self)
  }

  /// The transformer, which may get its name after the container was created.
  private func transformer() throws -> ValueTransformer {
    if let transformer = ValueTransformer.named(NSValueTransformerName(name)) {
      return transformer
    }
    throw SwiftDataError(
      .modelValidationFailure,
      "There is no transformer named \"\(name)\".",
      hint: "Call ValueTransformer.setValueTransformer(_:forName:) before using such objects."
    )
  }

  override var attribute: Attribute {
    var attribute = Attribute(name: "", type: .data)
    attribute.isOptional = isOptional
    return attribute
  }

  override var opaqueForm: String? { "as data of the transformer \"\(name)\"" }
  override var placeholder: Any { standIn ?? () }

  override var lastResort: Any? {
    guard let transformer = try? transformer() else { return nil }
    return [nil, Data()].lazy.compactMap { transformer.reverseTransformedValue($0) }
      .first { $0 is Content }
  }

  override func read(_ row: inout RowReader) throws -> Any {
    let data: Data? = try row.next()
    if data == nil, let value = standIn { return value }
    let value = try transformer().reverseTransformedValue(data)
    if let content = value as? Content { return content }
    throw SwiftDataError(
      .storeFailure,
      "The transformer \"\(name)\" made no \(Content.self) of \(data?.count ?? 0) bytes."
    )
  }

  override func values(_ value: Any) throws -> [Value] {
    var wrapped: Any? = value
    if let optional = value as? any OptionalType { wrapped = optional.wrapped }
    guard let wrapped else { return [.null] }
    switch try transformer().transformedValue(wrapped) {
    case let data as Data: return [.data(data)]
    case let data as NSData: return [.data(Data(referencing: data))]
    case let text as String: return [.data(Data(text.utf8))]
    case nil where isOptional: return [.null]
    default:
      throw SwiftDataError(
        .modelValidationFailure,
        "The transformer \"\(name)\" made no data of a \(Content.self)."
      )
    }
  }
}

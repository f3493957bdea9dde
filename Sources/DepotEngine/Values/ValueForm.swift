internal import DepotProtocol

/// The form of a field's values in requests and in the store.
enum ValueForm: Hashable {
  case scalar(AttributeType)
  /// A double rounded to a binary32.
  case float
  /// A JSON array of scalars; those of a set are sorted and distinct.
  case list(AttributeType, NumberWidth?, isSet: Bool)
  /// Any JSON value.
  case json

  init(_ attribute: Attribute) {
    if let collection = attribute.collection {
      self = .list(attribute.type, attribute.width, isSet: collection == .set)
    } else if attribute.type == .json {
      self = .json
    } else if attribute.width == .float {
      self = .float
    } else {
      self = .scalar(attribute.type)
    }
  }
}

extension Cell {
  /// Reads a value of a request; `nil` if it doesn't have the form.
  @inline(__always)
  init?(_ field: RowField, as form: ValueForm, in arena: CellArena) {
    switch form {
    case .scalar(let type): self.init(field, as: type, in: arena)
    case .float, .list, .json: self.init(rare: field, as: form, in: arena)
    }
  }

  private init?(rare field: RowField, as form: ValueForm, in arena: CellArena) {
    if field.isNull {
      self = .null
      return
    }
    switch form {
    case .scalar: return nil
    case .float:
      guard let value = Self.float(field) else { return nil }
      self = value.isNaN ? .blob(UnsafeBufferPointer(start: nil, count: 0)) : .real(value)
    case .list(let type, let width, let isSet):
      guard let values = CollectionText.read(field, of: type, width) else { return nil }
      self = .text(arena.copy(CollectionText.write(values, isSet: isSet)))
    case .json:
      guard let text = field.compactBytes else { return nil }
      self = .text(arena.copy(text))
    }
  }

  private static func float(_ field: RowField) -> Double? {
    guard let value = field.double else { return nil }
    let rounded = Double(Float(value))
    return rounded.isInfinite && value.isFinite ? nil : rounded
  }
}

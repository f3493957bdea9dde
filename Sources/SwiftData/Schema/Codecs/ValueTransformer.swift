internal import Foundation
internal import Synchronization

/// A conversion of values of one type into values of another, as Foundation's class on Apple's
/// systems does; Foundation on Linux lacks it.
///
/// A subclass whose values are stored by `@Attribute(.transformable(by:))` converts them to `Data`,
/// and back.
open class ValueTransformer: NamedTransformer {
  /// Creates a transformer, once for each class.
  public required init() {}

  /// The class of the values that ``transformedValue(_:)`` returns.
  open class func transformedValueClass() -> AnyClass { NSData.self }

  /// Whether ``reverseTransformedValue(_:)`` converts values back.
  open class func allowsReverseTransformation() -> Bool { true }

  /// Returns the transformed value; `nil` if it can't be transformed.
  open func transformedValue(_ value: Any?) -> Any? { value }

  /// Returns the original of a transformed value; `nil` if it can't be converted back.
  open func reverseTransformedValue(_ value: Any?) -> Any? { transformedValue(value) }

  /// Registers a transformer under a name, by which attributes find it; `nil` removes the name.
  public class func setValueTransformer(
    _ transformer: ValueTransformer?,
    forName name: NSValueTransformerName
  ) {
    known.withLock { $0[name.rawValue] = transformer.map(Registered.init) }
  }

  /// The names of the transformers that have one.
  public class func valueTransformerNames() -> [NSValueTransformerName] {
    known.withLock { $0.keys.sorted() }.map { NSValueTransformerName($0) }
  }

  /// Returns the transformer of a name; `nil` if there is none.
  static func named(_ name: NSValueTransformerName) -> ValueTransformer? {
    known.withLock { $0[name.rawValue] }?.transformer
  }

  /// A transformer that is passed into a lock.
  // because transformers keep no state of their own between calls
  private struct Registered: @unchecked Sendable {
    let transformer: ValueTransformer
  }

  private static let known = Mutex<[String: Registered]>([:])

  /// Returns the name by which attributes find the transformer of a class, which is made if need be.
  static func name(of type: ValueTransformer.Type) -> String {
    let name = String(reflecting: type)
    let transformer = Registered(transformer: type.init())
    known.withLock { known in if known[name] == nil { known[name] = transformer } }
    return name
  }
}

/// A transformer that can be found by its name.
public protocol NamedTransformer {}

extension NamedTransformer where Self: ValueTransformer {
  /// Finds the transformer of a name; `nil` if there is none.
  public init?(forName name: NSValueTransformerName) {
    guard let transformer = ValueTransformer.named(name) as? Self else { return nil }
    self = transformer
  }
}

/// The name of a transformer.
public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
  /// The name itself.
  public let rawValue: String

  /// Creates a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// Creates a name.
  public init(_ rawValue: String) { self.rawValue = rawValue }
}

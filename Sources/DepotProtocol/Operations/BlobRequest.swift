/// A part of a text or of data, which may be stored outside its row.
@Memberwise
public struct BlobReadRequest: Hashable, Sendable {
  public var entity: String
  public var identifier: Int64
  /// The path of the attribute.
  public var attribute: String
  /// The first byte; of a text, counted in UTF-8.
  public var offset: Int = 0
  /// The most bytes to read; `nil` for all that follow.
  public var length: Int?
}

/// A change of a text or of data, which may be stored outside its row.
@Memberwise
public struct BlobWriteRequest: Hashable, Sendable {
  /// The position of the written bytes.
  public enum Place: Hashable, Sendable {
    /// They replace the whole value.
    case whole
    /// They overwrite existing bytes, from an offset that is at most the length.
    case offset(Int)
    /// They are appended.
    case end
  }

  public var entity: String
  /// The row; `nil` in an upload for a row that a later `insert` or `save` writes.
  ///
  /// That call of the same connection has `{"$upload":NAME}` as the value, and the row gets the
  /// upload in its transaction.
  public var identifier: Int64?
  /// The path of the attribute, which must not be derived, unique, or in an index.
  public var attribute: String
  /// The bytes: a text, or data in base64.
  public var data: String = ""
  public var place: Place = .whole
  /// Whether the bytes after the written ones are removed.
  public var truncates: Bool = false
  /// The name of a new value that several calls build.
  ///
  /// Other connections see nothing of it before the last call, and it is dropped when the
  /// connection closes. An offset must equal the number of bytes uploaded so far, so that no part
  /// can be missing.
  public var upload: String?
  /// Whether the new value is complete and replaces the old one.
  public var isFinal: Bool = false
}

extension BlobReadRequest: MemberObject {
  static var blank: Self { Self(entity: "", identifier: 0, attribute: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.required("id", &identifier)
    try coder.required("attribute", &attribute)
    try coder.value("offset", &offset, default: 0)
    try coder.optional("length", &length)
  }
}

extension BlobWriteRequest: MemberObject {
  /// The longest name of an upload, in bytes.
  private static let nameBytes = 128

  static var blank: Self { Self(entity: "", identifier: nil, attribute: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.optional("id", &identifier)
    try coder.required("attribute", &attribute)
    var offset: Int? = if case .offset(let offset) = place { offset } else { nil }
    try coder.optional("offset", &offset)
    var appends = place == .end
    try coder.value("append", &appends, default: false)
    place = offset.map { .offset($0) } ?? (appends ? .end : .whole)
    try coder.value("truncate", &truncates, default: false)
    try coder.optional("upload", &upload)
    try coder.value("final", &isFinal, default: false)
    try coder.value("data", &data, default: "", isAlwaysWritten: true)
    guard Coder.isReader else { return }
    let request = self
    try coder.check { (node) throws(DepotError) in
      guard offset == nil || !appends else {
        throw DepotError(.usage, "\"offset\" and \"append\" exclude each other.").at(node.pointer)
      }
      try request.check(at: node.pointer)
    }
  }

  private func check(at pointer: String) throws(DepotError) {
    guard let upload else {
      guard !isFinal else {
        throw DepotError(.usage, "\"final\" ends an upload, so it needs \"upload\".").at(pointer)
      }
      return
    }
    guard !upload.isEmpty, upload.utf8.count <= Self.nameBytes else {
      throw DepotError(.usage, "The name of an upload has 1 to \(Self.nameBytes) bytes.")
        .at(pointer + "/upload")
    }
    guard place != .end, !truncates else {
      throw DepotError(.usage, "An upload is written from its beginning to its end.")
        .hint("Leave out \"append\" and \"truncate\".").at(pointer)
    }
  }
}

internal import Synchronization

/// The slots of the key paths that the program's accessors use, found by the key paths' addresses.
///
/// Looking up takes no lock: tables are never changed, only replaced by larger ones, and never freed.
final class SlotTable: Sendable {
  private struct Entry {
    var keyPath: UnsafeRawPointer?
    var slot = 0
  }

  /// A hash table with open addressing.
  // because it isn't changed once it is published
  private final class Table: @unchecked Sendable {
    @exclusivity(unchecked) var entries: [Entry]
    /// The key paths, which keeps their addresses theirs.
    var keyPaths: [AnyKeyPath] = []

    init(capacity: Int) { entries = Array(repeating: Entry(), count: capacity) }

    @inline(__always)
    func position(_ address: UnsafeRawPointer) -> Int {
      var position = (Int(bitPattern: address) >> 4) & (entries.count - 1)
      while let known = entries[position].keyPath, known != address {
        position = (position + 1) & (entries.count - 1)
      }
      return position
    }

    func add(_ keyPath: AnyKeyPath, _ slot: Int) {
      let address = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
      entries[position(address)] = Entry(keyPath: address, slot: slot)
      keyPaths.append(keyPath)
    }
  }

  /// How many key paths are kept; others are looked up by equality.
  private static let limit = 4096

  private let current: Atomic<UInt>
  private let tables: Mutex<[Table]>

  init() {
    let table = Table(capacity: 16)
    current = Atomic(UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()))
    tables = Mutex([table])
  }

  @inline(__always)
  subscript(keyPath: AnyKeyPath) -> Int? {
    guard let address = UnsafeRawPointer(bitPattern: current.load(ordering: .acquiring)) else {
      return nil
    }
    let table = Unmanaged<Table>.fromOpaque(address).takeUnretainedValue()
    let key = UnsafeRawPointer(Unmanaged.passUnretained(keyPath).toOpaque())
    let entry = table.entries[table.position(key)]
    return entry.keyPath == nil ? nil : entry.slot
  }

  /// Remembers the slot of a key path.
  func add(_ keyPath: AnyKeyPath, _ slot: Int) {
    // because key paths of stored properties have nothing that could change
    nonisolated(unsafe) let keyPath = keyPath
    tables.withLock { tables in
      guard let old = tables.last, old.keyPaths.count < Self.limit else { return }
      let isFull = old.keyPaths.count * 2 >= old.entries.count
      let table = Table(capacity: isFull ? old.entries.count * 2 : old.entries.count)
      var slots: [UnsafeRawPointer?: Int] = [:]
      for entry in old.entries where entry.keyPath != nil { slots[entry.keyPath] = entry.slot }
      for known in old.keyPaths {
        let address = UnsafeRawPointer(Unmanaged.passUnretained(known).toOpaque())
        if let slot = slots[address] { table.add(known, slot) }
      }
      table.add(keyPath, slot)
      tables.append(table)
      current.store(
        UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()),
        ordering: .releasing
      )
    }
  }
}

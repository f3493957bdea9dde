internal import Synchronization

/// The slots of the key paths that the program's accessors use, found by the key paths' addresses.
///
/// Looking up takes no lock: tables are never changed, only replaced by larger ones, and never freed.
final class SlotTable: Sendable {
  private struct Entry {
    /// The address of the key path; 0 if there is none.
    var keyPath: UInt = 0
    var slot = 0
  }

  /// A hash table with open addressing, which isn't changed once it is published.
  private final class Table {
    let entries: UnsafeMutableBufferPointer<Entry>
    var count = 0

    init(capacity: Int) {
      entries = .allocate(capacity: capacity)
      entries.initialize(repeating: Entry())
    }

    @inline(__always)
    func position(_ address: UInt) -> Int {
      var position = (Int(bitPattern: address) >> 4) & (entries.count - 1)
      while entries[position].keyPath != 0, entries[position].keyPath != address {
        position = (position + 1) & (entries.count - 1)
      }
      return position
    }

    @inline(__always)
    func slot(_ address: UInt) -> Int? {
      let entry = entries[position(address)]
      return entry.keyPath == 0 ? nil : entry.slot
    }

    func add(_ entry: Entry) {
      let position = position(entry.keyPath)
      if entries[position].keyPath == 0 { count += 1 }
      entries[position] = entry
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
    let key = UInt(bitPattern: Unmanaged.passUnretained(keyPath).toOpaque())
    return Unmanaged<Table>.fromOpaque(address)._withUnsafeGuaranteedRef { $0.slot(key) }
  }

  /// Remembers the slot of a key path, which is then never freed, so that its address stays its own.
  func add(_ keyPath: AnyKeyPath, _ slot: Int) {
    tables.withLock { tables in
      guard let old = tables.last, old.count < Self.limit else { return }
      let key = UInt(bitPattern: Unmanaged.passRetained(keyPath).toOpaque())
      let isFull = old.count * 2 >= old.entries.count
      let table = Table(capacity: isFull ? old.entries.count * 2 : old.entries.count)
      for entry in old.entries where entry.keyPath != 0 { table.add(entry) }
      table.add(Entry(keyPath: key, slot: slot))
      tables.append(table)
      current.store(
        UInt(bitPattern: Unmanaged.passUnretained(table).toOpaque()),
        ordering: .releasing
      )
    }
  }
}

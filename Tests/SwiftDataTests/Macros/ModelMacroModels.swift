internal import DepotProtocol
public import SwiftData

// Models of every shape that `@Model` accepts.

@Model class Vessel {
  #Unique<Vessel>([\.name], [\.port, \.berth])
  #Index<Vessel>([\.built], [\.name, \.built])

  enum Rig: String, Codable, AttributeValue {
    case sloop
    case ketch
  }

  var name: String
  var port = "Bergen"
  var berth: Int?
  @Attribute(.externalStorage, originalName: "year") var built: Int = 1900
  var rig: Rig = .sloop
  var length: Double = 12
  @Relationship(deleteRule: .cascade, inverse: \Deckhand.vessel) var crew: [Deckhand] = []
  @Transient var cachedLabel = ""
  @Transient var lastSeen: Date?
  private(set) var log: [String] = []
  var `default`: Bool = false
  lazy var description = "\(name) of \(port)"
  static let kinds = 2
  var label: String { "\(name), \(port)" }
  var isLong: Bool {
    get { length > 10 }
    set { length = newValue ? 20 : 5 }
  }
  #if os(Linux)
  var kernel: String = "Linux"
  #else
  var device: String = "other"
  #endif

  /// What the observers saw.
  @Transient var seen: [String] = []
  var flag: String = "NO" {
    willSet { seen.append("will \(newValue)") }
    didSet {
      seen.append("did \(oldValue)")
      flag = flag.uppercased()
      if flag == "SE" { return }
      note("kept")
    }
  }

  init(name: String) {
    self.name = name
    rig = .ketch
  }

  func note(_ line: String) { log.append(line) }

  func touch() { access(keyPath: \.name) }
}

@Model final class Deckhand {
  var name: String
  var vessel: Vessel?

  init(name: String, vessel: Vessel? = nil) {
    self.name = name
    self.vessel = vessel
  }
}

@Model class Ferry: Vessel {
  #Index<Ferry>([\.seats])
  var seats = 100
  var line: String
  var captain: Deckhand?

  init(name: String, line: String, seats: Int) {
    self.line = line
    self.seats = seats
    super.init(name: name)
  }

  override func touch() {
    access(keyPath: \.name)
    access(keyPath: \.seats)
  }
}

@available(iOS 26, macOS 26, *)
@Model final class NightFerry: Ferry {
  var cabins: Int

  init(name: String, cabins: Int) {
    self.cabins = cabins
    super.init(name: name, line: "north", seats: 7)
    self.port = "Oslo"
  }
}

enum Harbor {
  @Model final class Quay {
    var number = 1

    init() {}
  }
}

class Named {
  init() {}
}

@Model class Buoy: Named, Identifiable {
  var color: String

  init(color: String) {
    self.color = color
    super.init()
  }
}

@Model open class OpenModel {
  open var value: Int = 1

  public init() {}
}

@Model public final class PublicModel {
  public var value: Int = 1
  public private(set) var inner: Int = 1

  public init() {}
}

@Model package class PackageModel {
  package var value: Int = 1

  package init() {}
}

@Model private final class PrivateModel {
  var value: Int = 1

  init() {}
}

func makePrivateModel() -> Int { PrivateModel().value }

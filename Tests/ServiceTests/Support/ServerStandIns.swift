/// Declarations in the place of packages for servers, which tests don't fetch: as much of each as the article
/// "In a server" uses, in its words.
enum ServerStandIns {
  /// Each module with its source.
  static let modules = [
    ("ServiceLifecycle", serviceLifecycle), ("Logging", logging), ("Hummingbird", hummingbird),
    ("Vapor", vapor),
  ]

  private static let serviceLifecycle = """
    public protocol Service: Sendable { func run() async throws }

    public func cancelWhenGracefulShutdown<T: Sendable>(
      _ operation: @Sendable @escaping () async throws -> T
    ) async rethrows -> T { try await operation() }
    """

  private static let logging = """
    public struct Logger: Sendable {
      public typealias Metadata = [String: MetadataValue]
      public enum MetadataValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
        case string(String)
        public init(stringLiteral text: String) { self = .string(text) }
      }
      public struct Message: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, Sendable {
        public init(stringLiteral text: String) {}
      }
      public init(label: String) {}
      public func warning(
        _ message: @autoclosure () -> Message,
        metadata: @autoclosure () -> Metadata? = nil
      ) {}
    }
    """

  private static let hummingbird = """
    import ServiceLifecycle

    public struct Request: Sendable {
      public func decode<Value: Decodable>(
        as type: Value.Type,
        context: some RequestContext
      ) async throws -> Value { throw HTTPError(.notFound) }
    }
    public struct Response: Sendable {}
    public struct Parameters: Sendable {
      public func require(_ name: String) throws -> String { name }
    }
    public protocol RequestContext { var parameters: Parameters { get } }
    public struct BasicRequestContext: RequestContext { public var parameters: Parameters }
    public protocol ResponseGenerator {
      func response(from request: Request, context: some RequestContext) throws -> Response
    }
    public protocol ResponseEncodable: Encodable, ResponseGenerator {}
    public protocol ResponseCodable: ResponseEncodable, Decodable {}
    extension ResponseEncodable {
      public func response(from request: Request, context: some RequestContext) -> Response { Response() }
    }
    extension Array: ResponseGenerator where Element: Encodable {}
    extension Array: ResponseEncodable where Element: Encodable {}
    public struct HTTPResponse: Sendable {
      public struct Status: ResponseGenerator, Sendable {
        public static var created: Status { Status() }
        public static var notFound: Status { Status() }
        public func response(from request: Request, context: some RequestContext) -> Response { Response() }
      }
    }
    public struct HTTPError: Error {
      public init(_ status: HTTPResponse.Status) {}
    }
    public struct RouterPath: ExpressibleByStringLiteral, Sendable {
      public init(stringLiteral text: String) {}
    }
    public final class Router<Context: RequestContext> {
      public init(context: Context.Type = BasicRequestContext.self) {}
      @discardableResult public func get(
        _ path: RouterPath = "",
        use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
      ) -> Self { self }
      @discardableResult public func post(
        _ path: RouterPath = "",
        use handler: @Sendable @escaping (Request, Context) async throws -> some ResponseGenerator
      ) -> Self { self }
    }
    public struct BindAddress: Sendable {
      public static func hostname(_ host: String = "127.0.0.1", port: Int = 8080) -> Self { Self() }
    }
    public struct ApplicationConfiguration: Sendable {
      public init(address: BindAddress = .hostname()) {}
    }
    public struct Application<Context: RequestContext> {
      public init(
        router: Router<Context>,
        configuration: ApplicationConfiguration = ApplicationConfiguration(),
        services: [any Service] = []
      ) {}
      public func runService() async throws {}
    }
    """

  private static let vapor = """
    public protocol Content: Codable, Sendable {}
    public protocol AsyncResponseEncodable {}
    extension Content { public typealias Response = Self }
    public struct HTTPStatus: AsyncResponseEncodable, Sendable {
      public static let created = HTTPStatus()
      public static let notFound = HTTPStatus()
      public static let internalServerError = HTTPStatus()
    }
    public struct Abort: Error { public init(_ status: HTTPStatus) {} }
    public protocol StorageKey { associatedtype Value }
    public struct Storage {
      public subscript<Key: StorageKey>(_ key: Key.Type) -> Key.Value? {
        get { nil }
        set {}
      }
    }
    public struct Logger { public func report(error: any Error) {} }
    public struct Environment: Sendable {
      public static func detect() throws -> Environment { Environment() }
    }
    // because the article's program is compiled, and never run
    public final class Application: @unchecked Sendable {
      public var storage = Storage()
      public var logger = Logger()
      public static func make(_ environment: Environment) async throws -> Application { Application() }
      public func execute() async throws {}
      public func asyncShutdown() async throws {}
      public func get<Response>(
        _ path: String...,
        use handler: @Sendable @escaping (Request) async throws -> Response
      ) {}
      public func post<Response>(
        _ path: String...,
        use handler: @Sendable @escaping (Request) async throws -> Response
      ) {}
    }
    public struct Parameters: Sendable {
      public func require(_ name: String) throws -> String { name }
    }
    public struct ContentContainer: Sendable {
      public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { throw Abort(.notFound) }
    }
    public final class Request: Sendable {
      public let application = Application()
      public let parameters = Parameters()
      public let content = ContentContainer()
    }
    """
}

extension ProtocolDocument {
  /// The operations, part five: moments that stay, and the end of a service.
  static let pins = #"""
        {
          "name": "pin",
          "summary": "Keeps the present moment of a container for later reads, which name the pin beside `args`.",
          "since": 1, "writes": false, "streams": false, "idempotent": true, "privilege": "read",
          "args": [
            {
              "name": "maxAgeMs", "type": "integer", "required": false, "minimum": 1,
              "maximum": 86400000, "example": 5000,
              "description": "How long it is kept; at most, and if absent, as long as the service allows."
            }
          ],
          "result": [
            {
              "name": "pin", "type": "string", "required": true,
              "description": "The name, which only this connection can use."
            },
            {
              "name": "token", "type": "string", "required": false,
              "description": "The token of the last transaction that the moment has; absent if the container has several stores, or no history."
            },
            {
              "name": "expiresMs", "type": "integer", "required": true,
              "description": "After how many milliseconds it ends."
            }
          ],
          "errors": ["limit.pins"],
          "example": {
            "args": {"maxAgeMs": 5000}, "ok": {"pin": "9f3c51d07a2e6b84", "expiresMs": 5000}
          }
        },
        {
          "name": "unpin", "summary": "Gives up a pin; what still reads it ends with `cancelled.by_client`.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "read",
          "args": [
            {
              "name": "pin", "type": "string", "required": true, "example": "9f3c51d07a2e6b84",
              "description": "The name of the pin."
            }
          ],
          "result": [], "errors": ["stream.expired"],
          "example": {"args": {"pin": "9f3c51d07a2e6b84"}, "ok": {}}
        },
        {
          "name": "takeover",
          "summary": "Stops the service as `shutdown` does, and hands its socket over to the caller, a service that takes its place.",
          "since": 1, "writes": false, "streams": false, "idempotent": false, "privilege": "owner",
          "args": [
            {
              "name": "store", "type": "string", "required": true,
              "example": "/var/lib/depot/depot.sqlite",
              "description": "The path of the store that the caller will open, which must be this one's."
            }
          ],
          "result": [
            {
              "name": "descriptors", "type": "array", "required": true,
              "description": "What the descriptors are that come with the first byte of the frame (SCM_RIGHTS): `listener`, `lock`, and `connection` for each that wasn't greeted."
            }
          ],
          "errors": ["unavailable.busy"],
          "example": {
            "args": {"store": "/var/lib/depot/depot.sqlite"}, "ok": {"descriptors": ["listener", "lock"]}
          }
        }
    """#

  /// The error of a client that is told to change what it enumerates.
  static let enumeratingError = #"""
          {
            "code": "request.enumerating", "class": "request",
            "meaning": "The client is enumerating rows of the entity that it is told to change. Only clients report it.",
            "retry": "no", "effect": "none", "exitStatus": 64, "connection": "stays",
            "example": {
              "code": "request.enumerating", "message": "Package is being enumerated with this client.",
              "retry": "no", "effect": "none"
            }
          },
    """#
}

"""HTTP and WebSocket: parse at the door, authorise, answer.

    app        create_app: wires everything, once
    routes     the one table of what can be asked; router, access and documents come from it
    endpoint   a row of the table, and how a request is taken through it
    door       the outermost layer: request ids, CORS, meters, and the last resort for a fault of ours
    errors     every problem that a client can meet
    socket     /v1/live; messages are its closed set

The other rooms stand behind the routes that they are named after.
"""

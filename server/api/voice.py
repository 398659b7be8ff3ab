"""What a socket says: messages, and refusals with the problem that an error means."""

import logging

from msgspec import UNSET

from server.api import messages
from server.api.errors import ProblemError, as_problem
from server.api.messages import Refused
from server.ids import Ids
from server.live.outbox import Outbox

log = logging.getLogger("moontide.socket")


class Voice:
    """Speaks into one socket's outbox. ``ids`` names refusals, so that they are found in the logs."""

    def __init__(self, outbox: Outbox, ids: Ids) -> None:
        self.outbox = outbox
        self._ids = ids

    def say(self, message: messages.ServerMessage) -> None:
        self.outbox.put(messages.encode(message))

    def refuse(self, error: BaseException, *, command_id: str | None = None, channel: str | None = None) -> None:
        """Answer with the problem that an error means; a fault of our own is logged and told as such."""
        request_id = self._ids.request()
        problem = as_problem(error) if isinstance(error, Exception) else None
        if problem is None:
            log.error("a message failed", exc_info=error, extra={"request_id": request_id})
            problem = ProblemError("internal", "a fault of the server; it has been logged")
        self.say(
            Refused(
                problem.body(request_id),
                UNSET if command_id is None else command_id,
                UNSET if channel is None else channel,
            )
        )

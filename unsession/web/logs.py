"""Structured logs: one JSON object (or one readable line) an event, on standard error."""

import io
import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import msgspec
import structlog


def set_up_logs(form: str) -> None:
    """Configure structlog and send the standard library's warnings the same way."""
    shared: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _without_parameters,
        structlog.processors.format_exc_info,
    ]
    if form == "json":
        structlog.configure(
            processors=[
                *shared,
                structlog.processors.JSONRenderer(serializer=_encode),
            ],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=structlog.BytesLoggerFactory(_StandardError()),
            cache_logger_on_first_use=True,
        )
    else:
        structlog.configure(
            processors=[*shared, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())],
            wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
            cache_logger_on_first_use=True,
        )
    logging.basicConfig(handlers=[_Forward()], level=logging.WARNING, force=True)


class _StandardError(io.BytesIO):
    """Standard error as it is when a line is written: loggers outlive a redirection."""

    def write(self, line: Any, /) -> int:
        return sys.stderr.buffer.write(line)

    def flush(self) -> None:
        sys.stderr.buffer.flush()


def _encode(event: object, **_: object) -> bytes:
    return msgspec.json.encode(event, enc_hook=str)


def _without_parameters(
    _: object, __: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Keep what people typed out of the log: an error of the database repeats its parameters."""
    given = event.get("exc_info")
    error = sys.exc_info()[1] if given is True else given[1] if isinstance(given, tuple) else given
    while isinstance(error, BaseException):
        if hasattr(error, "hide_parameters"):
            error.hide_parameters = True
        error = error.__cause__ or error.__context__
    return event


class _Forward(logging.Handler):
    """The standard library's records, as events of the same shape."""

    def emit(self, record: logging.LogRecord) -> None:
        logger = structlog.get_logger(record.name)
        logger.log(record.levelno, record.getMessage(), exc_info=record.exc_info)

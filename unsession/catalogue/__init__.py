"""One catalogue of operations: what an operation is, the registry, and the one way to call it."""

from unsession.catalogue.calling import Outcome, Request, call
from unsession.catalogue.inputs import Input, parse
from unsession.catalogue.operation import (
    OPERATIONS,
    Operation,
    Route,
    delete,
    get,
    operation,
    page_operation,
    patch,
    post,
    put,
    visible_to,
)
from unsession.catalogue.paging import Page, PageRequest
from unsession.catalogue.schemas import OUTSIDERS

__all__ = [
    "OPERATIONS",
    "OUTSIDERS",
    "Input",
    "Operation",
    "Outcome",
    "Page",
    "PageRequest",
    "Request",
    "Route",
    "call",
    "delete",
    "get",
    "operation",
    "page_operation",
    "parse",
    "patch",
    "post",
    "put",
    "visible_to",
]

"""The ceiling: what the framework alone can do."""

from litestar import Litestar, get


@get("/hello")
async def hello() -> dict[str, str]:
    """The smallest useful answer."""
    return {"hello": "world"}


app = Litestar([hello], openapi_config=None, logging_config=None)

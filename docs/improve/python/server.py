"""A small MCP server written with the Python SDK that avoids the commonest findings. docs/improve.md shows parts of it."""

import sys
from typing import Annotated, Literal

from mcp.server import MCPServer
from mcp.server.transport_security import TransportSecuritySettings
from mcp.shared.exceptions import MCPError
from mcp.types import Icon, ToolAnnotations
from pydantic import BaseModel, Field

METRES = {"m": 1.0, "ft": 0.3048, "in": 0.0254}
Unit = Literal["m", "ft", "in"]


async def refuse_cursors(ctx, call_next):
    """Every list fits on one page, so no cursor was ever issued and none can be right."""
    if ctx.method.endswith("/list") and (ctx.params or {}).get("cursor") is not None:
        raise MCPError(-32602, "unknown cursor")
    return await call_next(ctx)


server = MCPServer(
    name="lengths",
    title="Length converter",
    version="1.4.0",
    website_url="https://lengths.example/",
    icons=[Icon(src="https://lengths.example/icon.png", mime_type="image/png", sizes=["48x48"])],
    instructions=(
        "Use this server to convert lengths. Call convert_length once for each value; it rounds to two decimals. "
        "It knows metres, feet and inches, and nothing else."
    ),
    middleware=[refuse_cursors],
)


class Length(BaseModel):
    value: float = Field(description="the converted length, rounded to two decimals")
    unit: Unit = Field(description="unit of the converted length")


@server.tool(
    title="Convert a length",
    description="Converts a length between metres, feet and inches, and returns the value with its unit.",
    annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False),
)
def convert_length(
    value: Annotated[float, Field(description="the length to convert, zero or more", ge=0)],
    source: Annotated[Unit, Field(description="unit of the value")],
    to: Annotated[Unit, Field(description="unit of the result")],
) -> Length:
    return Length(value=round(value * METRES[source] / METRES[to], 2), unit=to)


@server.resource(
    "lengths://units",
    name="units",
    title="Known units",
    description="The units that convert_length knows, one on each line.",
    mime_type="text/plain",
)
def units() -> str:
    return "\n".join(METRES)


if __name__ == "__main__":
    if len(sys.argv) > 1:  # a port: serve Streamable HTTP there
        port = int(sys.argv[1])
        server.run(
            "streamable-http",
            host="127.0.0.1",
            port=port,
            transport_security=TransportSecuritySettings(
                allowed_hosts=[f"127.0.0.1:{port}", f"localhost:{port}"],
                allowed_origins=[],  # programs send none; add the pages that may use the server
            ),
        )
    else:
        server.run("stdio")

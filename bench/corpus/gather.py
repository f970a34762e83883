"""Starts MCP servers over stdio, reads their catalogs and writes every text a model would read as JSON lines.

Called by gather.sh. Reads only: initialize and the four listings, all pages; no tool is called.
"""
import json
import os
import pathlib
import select
import shlex
import signal
import subprocess
import sys
import time

START_BUDGET = 60  # seconds a server gets, from its start to its last listing
TEXT_KEYS = ("title", "description", "$comment")
LISTINGS = {
    "tools": "tool",
    "prompts": "prompt",
    "resources": "resource",
    "resources/templates": "resource_template",
}


class Server:
    """One server process and the JSON-RPC lines to and from it."""

    def __init__(self, argv, cwd, env):
        self.deadline = time.monotonic() + START_BUDGET
        self.process = subprocess.Popen(
            argv, cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            start_new_session=True)
        self.buffer = b""
        self.last_id = 0

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def lines(self):
        while True:
            line, found, rest = self.buffer.partition(b"\n")
            if found:
                self.buffer = rest
                yield line
                continue
            left = self.deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError("no answer in time")
            piece = os.read(self.process.stdout.fileno(), 1 << 20)
            if not piece:
                raise EOFError("the server closed its output")
            self.buffer += piece

    def request(self, method, params=None):
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params or {}})
        for line in self.lines():
            try:
                message = json.loads(line)
            except ValueError:
                continue
            if not isinstance(message, dict):
                continue
            if message.get("id") == self.last_id and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"].get("message"))
                return message["result"]
            if "method" in message and "id" in message:
                result = {"roots": []} if message["method"] == "roots/list" else {}
                self.send({"id": message["id"], "result": result})

    def stop(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()


def texts(value, path=""):
    """Yields path and text of every title and description in a schema, at any depth, and of its defaults."""
    if isinstance(value, dict):
        for key, inner in value.items():
            here = path + "/" + key.replace("~", "~0").replace("/", "~1")
            if key in TEXT_KEYS and isinstance(inner, str):
                yield here, inner
            elif key in ("default", "const", "pattern") and isinstance(inner, str):
                yield here, inner
            elif key in ("enum", "examples") and isinstance(inner, list):
                for i, item in enumerate(inner):
                    if isinstance(item, str):
                        yield f"{here}/{i}", item
            else:
                yield from texts(inner, here)
    elif isinstance(value, list):
        for i, inner in enumerate(value):
            yield from texts(inner, f"{path}/{i}")


def collect(name, argv, cwd, env):
    """Returns the records of one server."""
    records = []

    def add(kind, item, path, text):
        if isinstance(text, str) and text:
            records.append({"server": name, "kind": kind, "item": item, "path": path, "text": text})

    server = Server(argv, cwd, env)
    try:
        hello = server.request("initialize", {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "corpus", "version": "1"}})
        server.send({"method": "notifications/initialized"})
        add("server", "", "/instructions", hello.get("instructions"))
        for key in ("name", "title", "version", "description", "websiteUrl"):
            add("server", "", "/serverInfo/" + key, hello.get("serverInfo", {}).get(key))
        for listing, kind in LISTINGS.items():
            cursor = None
            for _ in range(100):
                try:
                    page = server.request(listing + "/list", {"cursor": cursor} if cursor else {})
                except RuntimeError:
                    break
                for item in page.get(listing if listing != "resources/templates" else "resourceTemplates", []):
                    label = item.get("name") or ""
                    add(kind, label, "/name", label)
                    for key in ("title", "description", "uri", "uriTemplate"):
                        add(kind, label, "/" + key, item.get(key))
                    add(kind, label, "/annotations/title", (item.get("annotations") or {}).get("title"))
                    for argument in item.get("arguments") or []:
                        add(kind, label, "/arguments/description", argument.get("description"))
                    for schema in ("inputSchema", "outputSchema"):
                        for path, text in texts(item.get(schema), "/" + schema):
                            add(kind, label, path, text)
                cursor = page.get("nextCursor")
                if not cursor:
                    break
    except (TimeoutError, EOFError, OSError, RuntimeError, KeyError) as problem:
        return records, problem
    finally:
        server.stop()
    return records, None


def oracle_servers(folder, work):
    for file in sorted(pathlib.Path(folder).glob("*/server.json")):
        spec = json.loads(file.read_text())
        if spec["transport"] == "stdio":
            start = [a.replace("$WORK", work) for a in spec["start"]]
            if "/" in start[0]:
                start[0] = os.path.join(work, start[0])
            env = {k: v.replace("$WORK", work) for k, v in spec["env"].items()}
            yield spec["package"] + "@" + spec["version"] + " " + spec["name"], start, os.path.join(work, spec["cwd"]), env


def listed_servers(file, packages):
    for line in pathlib.Path(file).read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        words = shlex.split(line)
        cut = words.index("--") if "--" in words else len(words)
        _, name, version = words[:3]
        env = dict(word.split("=", 1) for word in words[3:cut])
        folder = pathlib.Path(packages, name.replace("@", "_").replace("/", "_"))
        home = folder / "node_modules" / name
        if not (home / "package.json").exists():
            yield f"{name}@{version}", None, None, None
            continue
        manifest = json.loads((home / "package.json").read_text())
        programs = manifest.get("bin") or manifest.get("main") or "index.js"
        if isinstance(programs, dict):
            short = name.split("/")[-1]
            programs = programs.get(short) or programs.get(short.removeprefix("mcp-server-")) or next(iter(programs.values()))
        yield f"{name}@{version}", ["node", str(home / programs), *words[cut + 1:]], str(folder), env


def main():
    oracle, work, listed, packages, out = sys.argv[1:]
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
    scratch = pathlib.Path(out).with_suffix(".home")
    scratch.mkdir(exist_ok=True)
    kept["HOME"] = str(scratch)
    seen, servers = set(), 0
    with open(out, "w", encoding="utf-8") as sink:
        for name, argv, cwd, env in [*oracle_servers(oracle, work), *listed_servers(listed, packages)]:
            if argv is None:
                print(f"{name}: not installed")
                continue
            try:
                records, problem = collect(name, argv, cwd, {**kept, **env})
            except OSError as failure:
                records, problem = [], failure
            new = 0
            for record in records:
                # The same text of the same server (a parameter that thirty tools share) counts once.
                key = (name, record["kind"] == "server" or record["path"] == "/name", record["text"])
                if key not in seen:
                    seen.add(key)
                    new += 1
                    sink.write(json.dumps(record, ensure_ascii=False) + "\n")
            servers += new > 0
            print(f"{name}: {new} texts" + (f" ({problem})" if problem else ""), flush=True)
    print(f"{servers} servers, {len(seen)} texts in {out}")


if __name__ == "__main__":
    main()

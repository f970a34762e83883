#!/usr/bin/env python3
"""Makes a wheel for one system that carries the hallmark binary as its script, so that an install runs and downloads nothing.

    build_wheel.py VERSION FOLDER [OS/ARCH]     this system when none is named; Go's names (linux/amd64)

It needs nothing but Python and Go. The same source and version give the same bytes.
"""

import base64
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
NAME = "mcp_hallmark"

# The binary is static, so that it runs under glibc and musl. macOS 12 is the oldest that Go 1.26 supports.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}


def pep440(version):
    """Writes a semantic version in Python's way: 1.2.0-rc.1 is 1.2.0rc1."""
    m = re.fullmatch(r"v?(\d+\.\d+\.\d+)(?:-(alpha|beta|rc|dev)\.?(\d*))?", version)
    if not m:
        sys.exit(f"build_wheel.py: {version!r} is not of the form 1.2.3 or 1.2.3-rc.1")
    number, phase, count = m.groups()
    if not phase:
        return number
    return number + {"alpha": "a", "beta": "b", "rc": "rc", "dev": ".dev"}[phase] + (count or "0")


def host():
    return subprocess.check_output(["go", "env", "GOHOSTOS", "GOHOSTARCH"], text=True, cwd=ROOT).split()


def entries(version, system, binary):
    """Lists the files of the wheel with their modes, RECORD excepted."""
    info = f"{NAME}-{version}.dist-info"
    script = "hallmark.exe" if system.startswith("windows/") else "hallmark"
    tags = "".join(f"Tag: py3-none-{tag}\n" for tag in TAGS[system].split("."))
    metadata = (
        "Metadata-Version: 2.4\n"
        "Name: mcp-hallmark\n"
        f"Version: {version}\n"
        "Summary: Audit MCP servers: what they serve, how they serve it, and what that is worth\n"
        "License-Expression: Apache-2.0\n"
        "License-File: LICENSE\n"
        "Project-URL: Source, https://github.com/mcp-hallmark/hallmark\n"
        "Keywords: mcp,audit,model-context-protocol\n"
        "Requires-Python: >=3.9\n"
        "Description-Content-Type: text/markdown\n"
        "\n"
    ) + (ROOT / "README.md").read_text(encoding="utf-8")
    wheel = f"Wheel-Version: 1.0\nGenerator: hallmark\nRoot-Is-Purelib: false\n{tags}"
    return [
        (f"{NAME}-{version}.data/scripts/{script}", binary, 0o755),
        (f"{info}/licenses/LICENSE", (ROOT / "LICENSE").read_bytes(), 0o644),
        (f"{info}/METADATA", metadata.encode(), 0o644),
        (f"{info}/WHEEL", wheel.encode(), 0o644),
    ], f"{info}/RECORD"


def write(path, files, record):
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        def add(name, data, mode):
            entry = zipfile.ZipInfo(name)  # dated 1980-01-01
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix, whose modes follow
            entry.external_attr = (0o100000 | mode) << 16
            wheel.writestr(entry, data)

        for name, data, mode in files:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            add(name, data, mode)
        lines.append(f"{record},,\n")
        add(record, "".join(lines).encode(), 0o644)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    semantic, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    system = sys.argv[3] if len(sys.argv) == 4 else "/".join(host())
    if system not in TAGS:
        sys.exit(f"build_wheel.py: {system!r} is none of {', '.join(TAGS)}")
    version = pep440(semantic)
    with tempfile.TemporaryDirectory() as stage:
        binary = pathlib.Path(stage) / "hallmark"
        subprocess.run(["bash", str(HERE.parent / "binary.sh"), semantic.removeprefix("v"), *system.split("/"), str(binary)], check=True)
        files, record = entries(version, system, binary.read_bytes())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{NAME}-{version}-py3-none-{TAGS[system]}.whl"
    write(path, files, record)
    print(path)


if __name__ == "__main__":
    main()

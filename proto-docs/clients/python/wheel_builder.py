"""Makes the wheel of this package (PEP 517) with nothing but Python's own library, so that no network is needed.

pip calls `build_wheel`, or `build_editable` for `pip install -e`.
"""
import base64
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent


def field(name):
    """Returns a text of pyproject.toml; Python 3.10 has no reader of TOML."""
    return re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text("utf-8"), re.M)[1]


NAME = field("name").replace("-", "_")
VERSION = field("version")


def metadata():
    lines = ["Metadata-Version: 2.1", f"Name: {field('name')}", f"Version: {VERSION}",
             f"Summary: {field('description')}", f"Requires-Python: {field('requires-python')}",
             "License: Apache-2.0", "Description-Content-Type: text/markdown", "",
             (HERE / "README.md").read_text("utf-8")]
    return "\n".join(lines).encode("utf-8")


def write_wheel(folder, files):
    """Writes a wheel that holds these files, bytes by their names; returns its name."""
    info = f"{NAME}-{VERSION}.dist-info"
    files = {**files, f"{info}/METADATA": metadata(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: depot\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    lines = []
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            # One date for all, so that the same sources make the same wheel.
            archive.writestr(zipfile.ZipInfo(name, (2026, 11, 22, 0, 0, 0)), data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
        lines.append(f"{info}/RECORD,,\n")
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2026, 11, 22, 0, 0, 0)), "\n".join(lines))
    return wheel


def sources():
    return {f"depot/{path.name}": path.read_bytes()
            for path in sorted((HERE / "depot").iterdir()) if path.suffix == ".py" or path.name == "py.typed"}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return write_wheel(wheel_directory, {f"{NAME}.pth": f"{HERE}\n".encode("utf-8")})


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{VERSION}"
    files = {**sources(), "PKG-INFO": metadata()}
    for name in ("pyproject.toml", "wheel_builder.py", "README.md"):
        files[name] = (HERE / name).read_bytes()
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"

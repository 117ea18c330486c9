"""The wheel is complete, and has only the package at the top level."""

import subprocess
import sys
import zipfile
from pathlib import Path

import arbiter_client

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src"


def test_the_wheel_has_every_file_of_the_package(tmp_path: Path) -> None:
    build = f"from hatchling.build import build_wheel; build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=PROJECT, check=True)
    [wheel] = tmp_path.glob("*.whl")
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = [path.relative_to(SOURCE) for path in SOURCE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    assert names == {path.as_posix() for path in files}
    assert {"arbiter_client/py.typed", "arbiter_client/v1/game_pb2.pyi"} <= names
    check = f"import sys; sys.path.insert(0, {str(wheel)!r}); import arbiter_client; print(arbiter_client.__file__)"
    ran = subprocess.run([sys.executable, "-c", check], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert ran.stdout.startswith(str(wheel))


def test_the_generated_code_is_inside_the_package() -> None:
    assert "arbiter" not in sys.modules
    assert arbiter_client.v1.State.__module__ == "arbiter_client.v1.game_pb2"

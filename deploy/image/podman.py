"""Podman with a separate storage: it does not touch other images and containers."""

import json
import shutil
import subprocess
from pathlib import Path


class Podman:
    def __init__(self, folder):
        self.folder = Path(folder)
        if self.folder.exists():
            self.clear()
        self.folder.mkdir(parents=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.clear()

    def clear(self):
        """Removes all containers and images, including those of an interrupted run."""
        self("rm", "--all", "--force", "--time", "0", check=False)
        self("rmi", "--all", "--force", check=False)
        shutil.rmtree(self.folder)

    def command(self, *words):
        # Needs neither systemd nor kernel drivers, so it also runs inside a container or a sandbox.
        folders = {"root": "storage", "runroot": "run", "tmpdir": "tmp"}
        options = [f"--{name}={self.folder / folder}" for name, folder in folders.items()]
        options += ["--storage-driver=vfs", "--runtime=runc", "--cgroup-manager=cgroupfs", "--events-backend=file"]
        return ["podman", *options, *map(str, words)]

    def __call__(self, *words, check=True, timeout=120):
        done = subprocess.run(
            self.command(*words), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False
        )
        if check and done.returncode:
            raise SystemExit(f"podman {' '.join(map(str, words))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def inspect(self, kind, name):
        return json.loads(self(kind, "inspect", name).stdout)[0]

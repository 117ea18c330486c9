"""Runs helm."""

import os
import re
import subprocess

import yaml

from .expected import CHART, NAMESPACE, NEWEST, RELEASE, TOOLS, VALUES


class Helm:
    def __init__(self, path):
        self.path = path
        # No user settings, and no cluster.
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith("HELM_")}
        self.environment |= {f"HELM_{home}_HOME": str(TOOLS / "helm-home") for home in ("CACHE", "CONFIG", "DATA")}
        self.environment |= {"KUBECONFIG": os.devnull}

    def run(self, *words):
        command = [self.path, *map(str, words)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=120, check=False, env=self.environment
        )

    def lint(self, name, version):
        done = self.run("lint", "--strict", "--kube-version", version, "--values", VALUES[name], CHART)
        return [] if done.returncode == 0 else [done.stdout + done.stderr]

    def template(self, words, version=NEWEST, release=RELEASE, namespace=NAMESPACE):
        return self.run("template", release, CHART, "--namespace", namespace, "--kube-version", version, *words)

    def render(self, name, version=NEWEST, words=(), **release):
        """The objects of a value file, and the problems."""
        done = self.template(["--values", VALUES[name], *words], version, **release)
        if done.returncode:
            return [], [done.stderr]
        return [one for one in yaml.load_all(done.stdout, UniqueKeys) if one], []

    def notes(self, name):
        words = ["--namespace", NAMESPACE, "--values", VALUES[name]]
        done = self.run("install", RELEASE, CHART, "--dry-run=client", *words)
        if done.returncode:
            return [done.stderr]
        notes = done.stdout.partition("NOTES:")[2]
        calls = re.findall(r"^  grpcurl .*arbiter\.v1\.RulesService/NewGame$", notes, re.M)
        return [] if len(calls) == 1 else [f"expected one grpcurl command in the notes: {notes}"]


class UniqueKeys(yaml.SafeLoader):
    """Rejects duplicate keys, as Kubernetes does."""

    def construct_mapping(self, node, deep=False):
        keys = [key.value for key, _ in node.value]
        if len(set(keys)) != len(keys):
            raise yaml.constructor.ConstructorError(None, None, f"duplicate key in {keys}", node.start_mark)
        return super().construct_mapping(node, deep)

"""Every example of the README runs, and has the output that the README shows."""

import re
from pathlib import Path

import pytest
import trustme

README = Path(__file__).parents[1] / "README.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", README.read_text("utf-8"), re.M | re.S)


def test_there_are_examples() -> None:
    assert len(EXAMPLES) >= 8
    assert len(EXAMPLES[0][0].splitlines()) <= 11


@pytest.mark.parametrize(("code", "printed"), EXAMPLES)
def test_an_example_has_its_output(
    code: str,
    printed: str,
    server: str,
    mutual_proxy: str,
    tls_token_server: str,
    token: str,
    authority: trustme.CA,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    issued = authority.issue_cert("player@arbiter.test")
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    issued.cert_chain_pems[0].write_to_path(tmp_path / "client.pem")
    issued.private_key_pem.write_to_path(tmp_path / "client.key")
    (tmp_path / "token").write_text(f"{token}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", "ca.pem")
    code = code.replace("127.0.0.1:50051", server).replace("arbiter.example:443", mutual_proxy)
    code = code.replace("arbiter.example:50051", tls_token_server)
    exec(compile(code, str(README), "exec"), {"__name__": "__main__"})
    assert capsys.readouterr().out == printed

"""What others read of us: openssl the certificate's signature, Go's sumdb packages the log."""

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from proxy.audit import dsse, offline, proof
from proxy.audit.log import AuditLog
from proxy.audit.sequencer import Sequencer
from proxy.audit.signer import Signer
from proxy.clock import FrozenClock
from proxy.ledger.engine import Ledger

GO_MOD = Path("/usr/share/gocode/src/golang.org/x/mod")
GO_PROGRAM = """
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	must(err)
	verifier, err := note.NewVerifier(os.Args[2])
	must(err)
	head, checkpoint, _ := strings.Cut(string(text), "\\n\\n")
	opened, err := note.Open([]byte(checkpoint), note.VerifierList(verifier))
	must(err)
	body := strings.Split(opened.Text, "\\n")
	size, err := strconv.ParseInt(body[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(body[2])
	must(err)
	lines := bufio.NewScanner(strings.NewReader(head))
	var leaf []byte
	var index int64
	var path tlog.RecordProof
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "extra "); ok {
			leaf, err = base64.StdEncoding.DecodeString(rest)
			must(err)
		} else if rest, ok := strings.CutPrefix(line, "index "); ok {
			index, err = strconv.ParseInt(rest, 10, 64)
			must(err)
		} else if !strings.HasPrefix(line, "c2sp.org/") {
			hash, err := tlog.ParseHash(line)
			must(err)
			path = append(path, hash)
		}
	}
	must(tlog.CheckRecord(path, size, root, index, tlog.RecordHash(leaf)))
	fmt.Println("verified", index, "of", size)
}
"""


@pytest.fixture
def signer(tmp_path: Path) -> Signer:
    """A signing key of its own."""
    return Signer.open(tmp_path / "audit.pem", "log.example.org/expunge")


def envelope(signer: Signer) -> bytes:
    """A signed statement."""
    return dsse.envelope(dsse.statement("erasure/DEL-1", "0" * 64, "urn:x", {"n": 1}), signer)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
@pytest.mark.parametrize("change", [b"", b"x"], ids=["as-signed", "changed"])
def test_openssl_verifies_the_certificate(signer: Signer, tmp_path: Path, change: bytes) -> None:
    """Nothing of ours is needed to check the signature; a changed byte fails."""
    document = json.loads(envelope(signer))
    payload = base64.b64decode(document["payload"])
    (tmp_path / "message").write_bytes(offline.pae(document["payloadType"], payload) + change)
    (tmp_path / "signature").write_bytes(base64.b64decode(document["signatures"][0]["sig"]))
    (tmp_path / "key.pem").write_text(signer.public_pem)
    command = "openssl pkeyutl -verify -rawin -pubin -inkey key.pem -sigfile signature -in message"
    done = subprocess.run(command.split(), cwd=tmp_path, capture_output=True, timeout=30)
    assert (done.returncode == 0) is (change == b"")


@pytest.mark.skipif(
    shutil.which("go") is None or not GO_MOD.exists(),
    reason="Go or golang-golang-x-mod-dev is not installed",
)
async def test_go_verifies_checkpoint_and_inclusion(
    ledger: Ledger, signer: Signer, clock: FrozenClock, tmp_path: Path
) -> None:
    """The reference implementation of transparency logs accepts every proof and no changed one."""
    log = AuditLog(clock)
    ids = [
        await ledger.write(lambda tx, n=n: log.append(tx, None, "memory.erased", {"count": n}))
        for n in range(11)
    ]
    await Sequencer(ledger, signer, clock).run_once()
    program = _build(tmp_path)
    for index, entry in enumerate(ids):
        text = await ledger.read(lambda tx, e=entry: proof.inclusion(tx, e))
        assert _run_go(program, tmp_path, text, signer) == (0, f"verified {index} of 11")
    leaf = offline.parse_proof(text).leaf
    forged = leaf.replace(b'"count":10', b'"count":11')
    changed = text.replace(base64.b64encode(leaf).decode(), base64.b64encode(forged).decode())
    assert changed != text
    assert _run_go(program, tmp_path, changed, signer)[0] == 1


def _build(folder: Path) -> Path:
    (folder / "main.go").write_text(GO_PROGRAM.replace("strings.CutPrefix", "cutPrefix") + CUT)
    environment = {
        **os.environ,
        "GO111MODULE": "off",
        "GOPATH": "/usr/share/gocode",
        "GOCACHE": str(folder / "cache"),
        "GOFLAGS": "",
    }
    command = ["go", "build", "-o", str(folder / "check"), str(folder / "main.go")]
    subprocess.run(command, env=environment, check=True, capture_output=True, timeout=240)
    return folder / "check"


CUT = """
func cutPrefix(text, prefix string) (string, bool) {
	return strings.TrimPrefix(text, prefix), strings.HasPrefix(text, prefix)
}
"""


def _run_go(program: Path, folder: Path, text: str, signer: Signer) -> tuple[int, str]:
    (folder / "proof").write_text(text)
    command = [str(program), str(folder / "proof"), signer.verifier_key]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    return done.returncode, done.stdout.strip()

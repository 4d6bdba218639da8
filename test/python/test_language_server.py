#===- test_language_server.py - Editing a file ------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""magicube-lsp-server while someone types: it answers every text that an example
passes through, and lives on."""

import json
import re
import subprocess

import pytest

import tools

EXAMPLES = sorted((tools.SOURCE_DIR / "examples").glob("*.mlir"))
URI = "test:///edited.mlir"


def encode(method, params=None, number=None):
    """One message of the protocol."""
    message = {"jsonrpc": "2.0", "method": method}
    if params is not None:
        message["params"] = params
    if number is not None:
        message["id"] = number
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def questions(text, number):
    """What editors ask after a change, about the end of the text."""
    lines = text.split("\n")
    end = {"line": len(lines) - 1, "character": len(lines[-1])}
    document = {"uri": URI}
    place = {"textDocument": document, "position": end}
    whole = {"textDocument": document,
             "range": {"start": {"line": 0, "character": 0}, "end": end}}
    asked = [("hover", place), ("completion", place), ("definition", place),
             ("documentSymbol", {"textDocument": document}),
             ("inlayHint", whole)]
    return [encode(f"textDocument/{kind}", params, number + i)
            for i, (kind, params) in enumerate(asked)]


def edit(texts, path, asks=False):
    """Replaces a document by each of `texts` in turn in one process. With
    `asks`, also asks what editors ask."""
    messages = [
        encode("initialize", {"processId": 1, "rootPath": "", "trace": "off",
                              "capabilities": {}}, 0),
        encode("textDocument/didOpen", {"textDocument": {
            "uri": URI, "languageId": "mlir", "version": 0, "text": ""}})]
    number = 1
    for version, text in enumerate(texts, 1):
        messages.append(encode("textDocument/didChange", {
            "textDocument": {"uri": URI, "version": version},
            "contentChanges": [{"text": text}]}))
        if asks:
            asked = questions(text, number)
            messages += asked
            number += len(asked)
    messages += [encode("shutdown", {}, number), encode("exit")]
    path.write_bytes(b"".join(messages))
    server = tools.BUILD_DIR / "bin" / "magicube-lsp-server"
    with open(path, "rb") as source:
        done = subprocess.run([str(server), "--log=error"], stdin=source,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=tools.TIMEOUT_S, check=False)
    answered = done.stdout.count(b"textDocument/publishDiagnostics") - 1
    if answered < len(texts):
        pytest.fail(f"the server died of:\n{texts[max(0, answered)]}\n"
                    f"{done.stderr.decode(errors='replace')}")
    assert done.returncode == 0
    # Every question has an answer, be it an error.
    assert done.stdout.count(b'"id":') == number + 1


def sample(texts, text):
    """All of them, or every fourth of a long text outside of `make
    check-all`."""
    short = 2000
    return texts if tools.RUNS_ALL or len(text) < short else texts[::4]


def prefixes(text):
    return sample([text[:i] for i in range(len(text) + 1)], text)


def unfinished(text):
    """The text with one of its tokens missing, begun, or a letter short."""
    texts = []
    for token in re.finditer(r"[!#%@^]?[\w.]+|[^\s\w]", text):
        start, end = token.span()
        cuts = {(start, end), (start + 1, end), (end - 1, end)}
        texts += [text[:a] + text[b:] for a, b in sorted(cuts) if a < b]
    return sample(texts, text)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_prefix(tmp_path, example):
    edit(prefixes(example.read_text()), tmp_path / "messages")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_unfinished_token(tmp_path, example):
    edit(unfinished(example.read_text()), tmp_path / "messages")


def test_questions_about_every_prefix(tmp_path):
    text = (tools.SOURCE_DIR / "examples" / "quantized.mlir").read_text()
    edit(prefixes(text), tmp_path / "messages", asks=True)

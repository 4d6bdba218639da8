#===- language_server.py - Sessions with magicube-lsp-server --------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""A document that changes, as an editor reports it to the server."""

import json
import subprocess

import pytest

import tools

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
    """Replaces a document by each of `texts` in turn in one process and
    returns what the server wrote. With `asks`, also asks what editors ask."""
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
        pytest.fail(f"the server died of:\n{texts[max(0, answered)][:9999]}\n"
                    f"{done.stderr.decode(errors='replace')}")
    assert done.returncode == 0
    # Every question has an answer, be it an error.
    assert done.stdout.count(b'"id":') == number + 1
    return done.stdout

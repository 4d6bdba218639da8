#===- test_language_server.py - Editing a file ------------------------------===#
#
# Part of the Magicube Project, under the Apache License v2.0 with LLVM
# Exceptions. See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""magicube-lsp-server while someone types: it answers every text that an example
passes through, and lives on."""

import re

import pytest

import language_server
import tools

EXAMPLES = sorted((tools.SOURCE_DIR / "examples").glob("*.mlir"))


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
    language_server.edit(prefixes(example.read_text()), tmp_path / "messages")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_unfinished_token(tmp_path, example):
    language_server.edit(unfinished(example.read_text()), tmp_path / "messages")


def test_questions_about_every_prefix(tmp_path):
    text = (tools.SOURCE_DIR / "examples" / "quantized.mlir").read_text()
    language_server.edit(prefixes(text), tmp_path / "messages", asks=True)

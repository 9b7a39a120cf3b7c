"""Replaces OpenAI's package, which Debian lacks: the calls of the tests, with answers as objects."""

import json
from functools import partial
from types import SimpleNamespace

import requests


class APIError(Exception):
    pass


class _Answer(SimpleNamespace):
    """A JSON object. Fields that are absent are None, as in the models of OpenAI's package."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "output_text":
            contents = [part for item in self.output for part in item.content or []]
            return "".join(part.text for part in contents if part.type == "output_text")
        return None


def _read(text):
    return json.loads(text, object_hook=lambda fields: _Answer(**fields))


def _events(response):
    for line in response.iter_lines():
        if line.startswith(b"data: ") and line != b"data: [DONE]":
            yield _read(line.removeprefix(b"data: "))


def _create(client, path, **body):
    response = requests.post(
        client.base_url + path,
        headers={"Authorization": f"Bearer {client.api_key}"},
        json=body,
        stream=body.get("stream", False),
    )
    if response.status_code != 200:
        raise APIError(response.text)
    return _events(response) if body.get("stream") else _read(response.text)


class OpenAI:
    def __init__(self, api_key, base_url):
        self.api_key = api_key
        self.base_url = base_url
        at = lambda path: SimpleNamespace(create=partial(_create, self, path))
        self.chat = SimpleNamespace(completions=at("/chat/completions"))
        self.completions = at("/completions")
        self.embeddings = at("/embeddings")
        self.responses = at("/responses")

"""An OpenAI-compatible endpoint that extracts facts by splitting sentences."""

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SENTENCE = re.compile(r"(?<=[.!?])\s+")


@dataclass(slots=True)
class ScriptedModel:
    """What the endpoint does, and what it was asked.

    Args:
        url: base address, with ``/v1``.
        copies_context: also extract from the earlier messages that Mem0 sends along.
        status: answer with this status instead, when set.
        repeats: facts it says besides, whatever it is shown.
        rephrased: what it says in place of sentences that match; nothing if that is empty.
        prompts: every user prompt so far.
    """

    url: str = ""
    copies_context: bool = False
    status: int = 200
    prompts: list[str] = field(default_factory=list)
    repeats: list[str] = field(default_factory=list)
    rephrased: dict[str, str] = field(default_factory=dict)

    def facts(self, prompt: str) -> list[str]:
        """The facts of a prompt: its sentences."""
        sections = ["New Messages", *(["Last k Messages"] if self.copies_context else [])]
        shown = [fact for name in sections for fact in _sentences(_section(prompt, name))]
        return [*filter(None, map(self._in_other_words, shown)), *self.repeats]

    def _in_other_words(self, sentence: str) -> str:
        found = ((re.fullmatch(form, sentence), said) for form, said in self.rephrased.items())
        return next((match.expand(said) for match, said in found if match), sentence)


@contextmanager
def scripted_llm(*, copies_context: bool = False) -> Iterator[ScriptedModel]:
    """Serve it on loopback."""
    model = ScriptedModel(copies_context=copies_context)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(model))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet for head and body

        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            prompt = json.loads(content)["messages"][-1]["content"]
            model.prompts.append(prompt)
            answer = {"memory": [{"text": fact} for fact in model.facts(prompt)]}
            body = json.dumps(_completion(json.dumps(answer))).encode()
            self.send_response(model.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler


def _completion(content: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": content}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def _section(prompt: str, name: str) -> str:
    _, _, rest = prompt.partition(f"## {name}\n")
    return rest.partition("\n## ")[0]


def _sentences(text: str) -> list[str]:
    lines = (line.partition(": ")[2] for line in text.splitlines() if ": " in line)
    return [part.strip() for line in lines for part in _SENTENCE.split(line) if part.strip()]

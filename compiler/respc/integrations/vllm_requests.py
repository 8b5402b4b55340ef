"""What a request to vLLM asks for: tools, and calls that have to come."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from respc.integrations.vllm_formats import format_of_call_lists
from respc.integrations.vllm_generation import CallIds, Generation

if TYPE_CHECKING:
    from respc_runtime.call_deltas import Delta


class ForcedCalls:
    """Reads the calls that vLLM makes a model write where it has no grammar for the model's own format.

    They are a list in JSON, or where the request names a function, the arguments of that alone.
    """

    def __init__(self, request: Any, ids: CallIds) -> None:
        self._name = forced_name(request.tool_choice)
        self._make_id = ids.maker()
        self._sent = False
        self._blanks = ""
        self._is_list: bool | None = None
        self._list = Generation(format_of_call_lists(), "", [], ids, calls_wanted=True)

    def feed(self, text: str) -> list[Delta]:
        """Take the next piece."""
        if self._name is None:
            return self._feed_list(text)
        if not text:
            return []
        function = {"arguments": text}
        if self._sent:
            return [{"tool_calls": [{"index": 0, "function": function}]}]
        self._sent = True
        head = {"index": 0, "id": self._make_id(), "type": "function"}
        return [{"tool_calls": [{**head, "function": {"name": self._name, **function}}]}]

    def routed(self, deltas: list[Delta]) -> list[Delta]:
        """Turn the content of deltas into calls."""
        routed: list[Delta] = []
        for delta in deltas:
            content = delta.get("content")
            routed += [delta] if content is None else self.feed(content)
        return routed

    def _feed_list(self, text: str) -> list[Delta]:
        if self._is_list is None:
            text, self._blanks = self._blanks + text, ""
            if not text.strip():
                self._blanks = text
                return []
            # A model that nothing held to the list can have written anything.
            self._is_list = text.lstrip().startswith("[")
        return self._list.feed(text) if self._is_list else [{"content": text}]

    def whole(self, text: str) -> list[dict[str, Any]]:
        """Give the calls of a whole answer; those that are not whole are none."""
        if self._name is None:
            return self._list.whole(text).calls
        try:
            is_object = isinstance(json.loads(text), dict)
        except ValueError:
            return []
        function = {"name": self._name, "arguments": text}
        return [{"id": self._make_id(), "function": function}] if is_object else []

    def finish(self) -> list[Delta]:
        """Give what was held back."""
        return self._list.finish() if self._name is None else []


def forced_name(choice: Any) -> str | None:
    """Give the name of the function that a request wants called."""
    name = getattr(getattr(choice, "function", None), "name", None) or getattr(choice, "name", None)
    return name if isinstance(name, str) else None


def choice_of(request: Any) -> str:
    """Tell whether calls have to come, also where the request names a function."""
    return "required" if forced_name(request.tool_choice) is not None else str(request.tool_choice)


def tools_of(request: Any) -> list[dict[str, Any]]:
    """Give the functions of a request, as chat completions have them."""
    tools: list[dict[str, Any]] = []
    for tool in request.tools or ():
        dump: Any = getattr(tool, "model_dump", None)
        written: Any = tool if dump is None else dump(exclude_none=True)
        if isinstance(written.get("function"), dict):
            tools.append(written)
        elif written.get("type") == "function" and isinstance(written.get("name"), str):
            tools.append({"type": "function", "function": written})
    return json.loads(json.dumps(tools))  # type: ignore[no-any-return]


def with_special_tokens(request: Any) -> Any:
    """Let the text of an answer keep the tokens that delimit its parts."""
    request.skip_special_tokens = False
    if hasattr(request, "spaces_between_special_tokens"):
        request.spaces_between_special_tokens = False
    return request

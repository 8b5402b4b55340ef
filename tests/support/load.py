"""Streams as a server has them: many at once, of many models, cut off, malformed, with wrong tools, abandoned."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from support.chunking import random_cuts
from support.families import families
from support.stability import stable_module

if TYPE_CHECKING:
    from random import Random
    from types import ModuleType

MARKS: Final = '"{}[]:,<>|/\\'
INSERTED: Final = (
    "\0",
    "\ud800",
    "</",
    "<|",
    "{",
    '"',
    "\n\n",
    "🦊",
    "\x01",
    "NaN",
    "<tool_call>",
    "null",
    " " * 30,
)
TYPES: Final[tuple[Any, ...]] = (
    "integer",
    "boolean",
    "array",
    "object",
    ["null", "number"],
    "nonsense",
    7,
    None,
)
UNKNOWN: Final = [{"type": "function", "function": {"name": "unknown", "parameters": {"type": "object"}}}]


@dataclass(frozen=True)
class Plan:
    """What one stream does: its parser, its input, and after how many calls it is abandoned, if it is."""

    name: str
    module: ModuleType
    prefix: str
    chunks: tuple[str, ...]
    tools: Any
    calls: int | None = None


def damaged(text: str, random: Random) -> str:
    """Return a text that is no longer what a model should write."""
    for _ in range(random.randint(1, 3)):
        place = random.randint(0, len(text))
        match random.randrange(5):
            case 0:
                text = text[:place] + text[place + random.randint(1, 8) :]
            case 1:
                text = text[:place] + random.choice(INSERTED) + text[place:]
            case 2:
                text = text[:place] + text[max(place - 20, 0) :]
            case 3:
                text = text.replace(random.choice(MARKS), random.choice(MARKS), random.randint(1, 3))
            case _:
                text = text[:place]
    return text


def wrong_tools(tools: Any, others: list[Any], random: Random) -> Any:
    """Return tools that are not those the model was given: other ones, none, unknown ones, other types."""
    match random.randrange(4):
        case 0:
            return random.choice(others)
        case 1:
            return UNKNOWN
        case 2:
            return []
    tools = deepcopy(tools) or []
    for tool in tools:
        parameters = (tool.get("function") or tool).get("parameters")
        if isinstance(parameters, dict) and isinstance(parameters.get("properties"), dict):
            for name in parameters["properties"]:
                parameters["properties"][name] = {"type": random.choice(TYPES)}
    return tools


class Plans:
    """Makes plans over the samples of all families."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.samples = [(family, sample) for family in families() for sample in family.samples]
        self.tools = [sample["tools"] for _, sample in self.samples]

    def make(self) -> Plan:
        """Make one."""
        random = self.random
        family, sample = random.choice(self.samples)
        module = stable_module(family.template, "serving")
        assert module is not None, family
        text, tools = sample["text"], sample["tools"]
        if random.randrange(3) == 0:
            text = damaged(text, random)
        if random.randrange(4) == 0:
            text = text[: random.randint(0, len(text))]
        if random.randrange(3) == 0:
            tools = wrong_tools(tools, self.tools, random)
        chunks = random_cuts(text, random)
        if random.randrange(8) == 0:
            chunks = [text]
        calls = random.randint(0, len(chunks)) if random.randrange(6) == 0 else None
        return Plan(f"{family}/{sample['id']}", module, sample["prefix"], tuple(chunks), tools, calls)


def comparable(event: Any) -> Any:
    """Return an event without its error, but with all that this says."""
    if event["type"] != "region_malformed":
        return event
    error = event["error"]
    return {**event, "error": (type(error).__name__, str(error), error.field, error.position, error.excerpt)}


class Stream:
    """A plan at work, one call at a time; ``results`` are what the calls gave, written down at once."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.parser: Any = None
        self.results: list[str] = []
        self.done = False
        self.malformed = 0
        self.raised: str | None = None

    def step(self) -> None:
        """Do the next call."""
        made = len(self.results)
        try:
            self._call(made)
        except Exception as error:
            self.raised = type(error).__name__
            self.results.append(f"raised {self.raised}: {error}")
            self.done = True
        if self.plan.calls is not None and made >= self.plan.calls:
            self.done = True
        if self.done:
            self.parser = None

    def _call(self, made: int) -> None:
        plan = self.plan
        message: Any = None
        if made == 0:
            self.parser = plan.module.ResponseParser(plan.prefix, tools=plan.tools)
            events = self.parser.initial_events
        elif made <= len(plan.chunks):
            events = self.parser.feed(plan.chunks[made - 1])
        else:
            message, events = self.parser.finalize()
            self.done = True
        self.malformed += sum(event["type"] == "region_malformed" for event in events)
        self.results.append(repr((list(map(comparable, events)), message)))


def alone(plan: Plan) -> Stream:
    """Run a stream with no other beside it."""
    stream = Stream(plan)
    while not stream.done:
        stream.step()
    return stream


def interleaved(plans: list[Plan], random: Random) -> list[Stream]:
    """Run streams at once, in any order; a stream begins when it is its turn for the first time."""
    streams = [Stream(plan) for plan in plans]
    running = list(streams)
    while running:
        random.shuffle(running)
        for stream in running:
            for _ in range(random.randint(0, 3)):
                if not stream.done:
                    stream.step()
        running = [stream for stream in running if not stream.done]
    return streams


def described(plan: Plan) -> str:
    """Return a plan as a line of JSON."""
    return json.dumps(
        {
            "name": plan.name,
            "prefix": plan.prefix,
            "chunks": plan.chunks,
            "tools": plan.tools,
            "calls": plan.calls,
        }
    )


def first_mixed(plans: list[Plan], expected: list[list[str]], streams: list[Stream]) -> str | None:
    """Return the first stream that gave something else than alone, described, or None."""
    for plan, results, stream in zip(plans, expected, streams, strict=True):
        if stream.results != results:
            pairs = zip(results, stream.results, strict=False)
            differing = next(
                (pair for pair in pairs if pair[0] != pair[1]), (results[-1:], stream.results[-1:])
            )
            return f"{differing}\n{described(plan)}"
    return None

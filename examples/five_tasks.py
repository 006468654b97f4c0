"""The five worked tasks of the atomic operations' design, as call sequences on a real video.

    python examples/five_tasks.py                       # the sample film
    python examples/five_tasks.py my.mp4 --thing dog --pair woman dog --who dog --leaving "the dog leaves" \\
        --actor woman --event "the woman runs out"

Every line that starts with → is one call of an operation; below it stands what it found.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from vidence import VidenceError, Workspace, open_workspace

SAMPLE = Path(__file__).parent.parent / "samples" / "vidence_sample.mp4"
BEFORE_S = 10.0
STEP_S = 0.5
MOMENTS_CHECKED = 120
SURE = 0.5
CONTACT = ("hugging", "touching", "holding", "riding", "sitting_on")


class Caller:
    """Calls operations on one video and prints each call in plain words."""

    def __init__(self, workspace: Workspace, video_id: str, duration_s: float) -> None:
        self._workspace, self.video_id, self.duration_s = workspace, video_id, duration_s

    def call(self, operation: str, /, **arguments: Any) -> Mapping[str, Any] | None:
        """Run an operation and return its result; None, with the reason printed, when it cannot answer."""
        shown = ", ".join(f"{name}={value!r}" for name, value in arguments.items())
        print(f"  → {operation}({shown})")
        try:
            outcome = self._workspace.run(operation, {"video_id": self.video_id, **arguments})
        except VidenceError as exc:
            self.say(str(exc))
            return None
        found: Mapping[str, Any] = outcome.result.model_dump(mode="json")
        return found

    def search(self, query: str, **options: Any) -> list[Mapping[str, Any]]:
        """Search, say what came out, and return the results."""
        found = self.call("temporal_search", query=query, **options)
        results: list[Mapping[str, Any]] = list(found["results"]) if found else []
        for one in results[:3]:
            self.say(f"{_span(one)}, {one['confidence']:.0%} sure, {one['matched_modality']}")
        if not results:
            self.say("nothing found")
        return results

    def remember(self, kind: str, content: str, **more: Any) -> None:
        """Write a memory and say under which name."""
        found = self.call("write_memory", memory_type=kind, content=content, **more)
        if found:
            self.say(f"remembered as {found['memory_id']}")

    def describe(self, start_s: float, end_s: float, **options: Any) -> str:
        """Describe a stretch and return the words."""
        start, end = max(0.0, start_s), min(self.duration_s, end_s)
        found = self.call("describe_visual", start_time=round(start, 2), end_time=round(end, 2), **options)
        if found is None:
            return ""
        self.say(found["description"])
        return str(found["description"])

    @staticmethod
    def say(text: str) -> None:
        """Print what was found."""
        print(f"      {text}")


def locate_and_describe(caller: Caller, thing: str) -> None:
    """Task 1: when does it first appear, and what is it doing?"""
    info = caller.call("get_video_info")
    caller.say(f"the video lasts {info['duration']:.1f} s" if info else "no video")
    likely = [one for one in caller.search(thing, top_k=10) if one["confidence"] >= SURE]
    for one in sorted(likely, key=lambda hit: hit["start_time"]):
        caller.describe(one["start_time"], one["end_time"], focus=thing)
        at = _first_seen(caller, thing, one)
        if at is None:
            continue
        detail = caller.describe(at, one["end_time"], detail_level="detailed")
        caller.remember("answer", f"First {thing} at {at:.1f} s: {detail}", time_range=_range(one))
        return
    caller.say(f"no {thing} that one could be sure of")


def _first_seen(caller: Caller, thing: str, segment: Mapping[str, Any]) -> float | None:
    """Return the first moment of a segment at which the detector sees the thing: the search may be wrong."""
    for share in (0.1, 0.5, 0.9):
        at = round(segment["start_time"] + share * (segment["end_time"] - segment["start_time"]), 2)
        seen = caller.call("detect_objects", timestamp=at, query=thing, confidence_threshold=SURE)
        if seen and seen["objects"]:
            caller.say(f"seen, {seen['objects'][0]['confidence']:.0%} sure")
            return at
    caller.say(f"no {thing} there after all")
    return None


def count_contacts(caller: Caller, first: str, second: str) -> None:
    """Task 2: how many times do two of them come together?"""
    together = caller.search(f"{first} and {second}", top_k=20)
    if not together:
        return
    moment = _middle(together[0])
    seen = caller.call("detect_objects", timestamp=moment)
    caller.say(", ".join(one["category"] for one in seen["objects"]) or "nothing" if seen else "not seen")
    ids = [_register(caller, moment, who) for who in (first, second)]
    if None in ids:
        caller.say(f"so {first} and {second} cannot be followed from there")
        return
    tracks = [caller.call("track_entity", entity_id=name) for name in ids]
    shared = _overlaps([track["appearances"] for track in tracks if track])
    caller.say(f"both are in the picture in {len(shared)} stretches")
    events = _contacts(caller, [str(name) for name in ids], shared)
    for start, end in events:
        note = f"{first} and {second} touch from {start:.1f} to {end:.1f} s"
        span = {"start_time": start, "end_time": round(end + STEP_S, 2)}
        caller.remember("observation", note, related_entities=[str(name) for name in ids], time_range=span)
    read = caller.call(
        "read_memory", query=f"{first} and {second} touch", memory_type="observation", top_k=100
    )
    mine = [one for one in read["memories"] if set(one["related_entities"]) == set(ids)] if read else []
    caller.say(f"number of times: {len(mine)}")


def _contacts(caller: Caller, ids: list[str], shared: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the stretches of contact: it is one event from its first moment until it ends."""
    events: list[tuple[float, float]] = []
    checked = 0
    for start, end in shared:
        since: float | None = None
        at = start
        while at <= end and checked < MOMENTS_CHECKED:
            checked += 1
            found = caller.call(
                "spatial_relation",
                entity_id_1=ids[0],
                entity_id_2=ids[1],
                timestamp=round(at, 2),
                relation_type="interaction",
            )
            kind = found["relations"]["interaction"] if found else "not seen"
            caller.say(kind)
            if kind in CONTACT and since is None:
                since = at
            elif kind not in CONTACT and since is not None:
                events.append((since, at))
                since = None
            at += STEP_S
        if since is not None:
            events.append((since, min(at, end)))
    return [(round(start, 2), round(end, 2)) for start, end in events]


def what_before(caller: Caller, leaving: str, who: str) -> None:
    """Task 3: what did they have before they left?"""
    found = caller.search(leaving, top_k=5)
    if not found:
        return
    moment = found[0]["end_time"]
    caller.describe(moment - BEFORE_S, moment + 0.5)
    entity = next(
        filter(None, (_register(caller, max(0.0, moment - back), who) for back in (3.0, 1.0, 0.0))), None
    )
    if entity is None:
        return
    track = caller.call("track_entity", entity_id=entity)
    last = track["summary"]["last_appearance"] if track else moment
    at = round(max(0.0, min(moment, last) - 0.5), 2)
    state = caller.call("query_entity_state", entity_id=entity, timestamp=at, query="What is it holding?")
    if state is None:
        return
    caller.say(f"{state['answer']} ({state['confidence']:.0%} sure)")
    if state["confidence"] >= SURE:
        caller.remember("answer", f"Before '{leaving}': {state['answer']}", related_entities=[entity])
    else:
        caller.say("too unsure to be remembered as the answer")


def why(caller: Caller, event: str, who: str) -> None:
    """Task 4: what led to it? The operations give evidence; the conclusion is marked as one."""
    found = caller.search(event, top_k=5, modality="multimodal")
    if not found:
        return
    moment = found[0]["start_time"]
    entity = _register(caller, _middle(found[0]), who)
    related = {"related_entities": [entity]} if entity else {}
    before = {"start_time": round(max(0.0, moment - BEFORE_S), 2), "end_time": round(moment + 1.0, 2)}
    seen = caller.describe(before["start_time"], before["end_time"], detail_level="detailed")
    said = caller.call("get_transcript", time_range=before)
    for line in said["transcript"] if said else []:
        caller.say(f"{line['start_time']:.1f} s: “{line['text']}”")
    heard = caller.call("detect_audio_events", time_range=before)
    events = heard["audio_events"] if heard else []
    for one in events:
        caller.say(f"{_span(one)}: {one['event_type']}")
    if events:
        latest = max(events, key=lambda one: one["start_time"])
        heard_at = f"{latest['event_type']} heard at {latest['start_time']:.1f} s"
        caller.remember("observation", heard_at, time_range=before, **related)
    cause = events[-1]["event_type"] if events else seen
    if cause:
        caller.remember("inference", f"'{event}' at {moment:.1f} s came after: {cause}", **related)


def who_said(caller: Caller, words: str | None) -> None:
    """Task 5: who said it, and where were they?"""
    everything = caller.call("get_transcript")
    lines = everything["transcript"] if everything else []
    words = words or (" ".join(lines[0]["text"].split()[:3]) if lines else None)
    if words is None:
        caller.say("nothing is said in this video")
        return
    found = caller.search(f'"{words.strip(" .,!?")}"', modality="audio")
    if not found:
        return
    moment = _middle(found[0])
    seen = caller.call("detect_objects", timestamp=moment, category="person")
    caller.say(f"{len(seen['objects']) if seen else 0} people in the picture")
    near = {"start_time": round(max(0.0, moment - 1), 2), "end_time": round(moment + 1, 2)}
    told = caller.call("get_transcript", time_range=near, include_speaker_info=True)
    speaker = (
        next((line["speaker_id"] for line in told["transcript"] if line["speaker_id"]), None)
        if told
        else None
    )
    caller.say(speaker or "the voices cannot be told apart")
    scene = caller.call("get_scene_attributes", timestamp=moment, attributes=["location"])
    place = scene["location"] if scene else None
    caller.say(place or "the place cannot be told")
    where = f", over pictures of {place}" if place else ""
    caller.remember("answer", f"{speaker or 'A voice'} said '{words}' at {moment:.1f} s{where}")


def _register(caller: Caller, timestamp: float, description: str) -> str | None:
    found = caller.call("register_entity", initial_timestamp=round(timestamp, 2), description=description)
    if found:
        caller.say(f"{found['entity_id']}, {found['confidence']:.0%} sure")
    return str(found["entity_id"]) if found else None


def _overlaps(appearances: list[list[Mapping[str, Any]]]) -> list[tuple[float, float]]:
    if len(appearances) < 2:
        return []
    pairs = [
        (max(one["start_time"], two["start_time"]), min(one["end_time"], two["end_time"]))
        for one in appearances[0]
        for two in appearances[1]
    ]
    return [(start, end) for start, end in pairs if end > start]


def _span(one: Mapping[str, Any]) -> str:
    return f"{one['start_time']:.1f}–{one['end_time']:.1f} s"


def _middle(one: Mapping[str, Any]) -> float:
    return round((float(one["start_time"]) + float(one["end_time"])) / 2, 2)


def _range(one: Mapping[str, Any]) -> dict[str, float]:
    return {"start_time": one["start_time"], "end_time": one["end_time"]}


def main() -> None:
    """Run the five tasks one after the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("video", nargs="?", type=Path, default=SAMPLE)
    parser.add_argument("--home", help="workspace folder (default: a temporary one)")
    parser.add_argument("--thing", default="cat", help="task 1: what to find")
    parser.add_argument("--pair", nargs=2, default=["cup", "table"], help="task 2: which two")
    parser.add_argument("--leaving", default="a horse leaves the meadow", help="task 3: the moment")
    parser.add_argument("--who", default="horse", help="task 3: who leaves")
    parser.add_argument("--event", default="a horse crosses the meadow", help="task 4: what to explain")
    parser.add_argument("--actor", default="horse", help="task 4: who does it")
    parser.add_argument("--words", help="task 5: what was said (default: the first words spoken)")
    given = parser.parse_args()
    place = nullcontext(given.home) if given.home else tempfile.TemporaryDirectory(prefix="vidence-")
    with place as home, open_workspace(home=home) as workspace:
        video = workspace.add(given.video).video
        caller = Caller(workspace, video.video_id, video.info.duration_s)
        first, second = given.pair
        print(f"1. When does a {given.thing} first appear, and what does it do?")
        locate_and_describe(caller, given.thing)
        print(f"\n2. How many times do {first} and {second} come together?")
        count_contacts(caller, first, second)
        print(f"\n3. What did the {given.who} have before: {given.leaving}?")
        what_before(caller, given.leaving, given.who)
        print(f"\n4. What led to this: {given.event}?")
        why(caller, given.event, given.actor)
        print(f"\n5. Who said “{given.words or '…'}”, and where?")
        who_said(caller, given.words)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks a service or a client against the protocol. Needs nothing but Python 3.10.

run.py server --start 'depotd --socket {socket} --store {store}' [--socket PATH]
              [--transcripts DIR] [--frames DIR] [--json DIR] [--values DIR] [--only TEXT]
              [--seed N] [--quick] [--lacking NAME] [--mutants N]
    Starts a fresh service with an empty store for each transcript and plays it in both framings,
    with whole, byte by byte and random writes; then the frame, JSON, and value vectors. With
    --mutants each is played once more, with N others of each call that may end a service before it.
    --lacking names a transcript of what the service lacks, which fails if the service has it.
    Without --start it talks to the service at --socket, and plays the vectors only.

run.py client [--level 1|2] -- COMMAND…
    Runs COMMAND with $DEPOT_SOCKET set to a service whose every answer is the next question, and
    $DEPOT_CERTIFY to the level. client-checklist.md tells what the command must do.

run.py program --start 'depotd --socket {socket} --store {store}' -- COMMAND…
    Runs COMMAND with $DEPOT_SOCKET set to a fresh service; its output is shown if it fails.

Prints a line for each failure and ends with 'N passed, N failed'; exits with 1 if any failed.
"""
import argparse
import pathlib
import random
import sys

import certify
import mutations
import vectors
from document import Document
from service import Service
from transcript import Player, Transcript
from wire import Failure

ROOT = pathlib.Path(__file__).resolve().parent.parent
WAYS = [("length", "whole"), ("lines", "whole"), ("length", "bytes"), ("lines", "random")]


class Results:
    def __init__(self):
        self.passed = self.failed = 0

    def run(self, name, body, is_lacking=False):
        try:
            body()
            error = "it was said to be lacking, but is there" if is_lacking else None
        except (Failure, OSError, KeyError) as failure:
            error = None if is_lacking else failure
        if error:
            self.failed += 1
            print(f"FAILED {name}: {error}", flush=True)
        else:
            self.passed += 1

    def finish(self):
        print(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0


def play_transcripts(options, results):
    document = Document(ROOT)
    for path in sorted(options.transcripts.rglob("*.ndjson")):
        name = str(path.relative_to(options.transcripts))
        if options.only not in name:
            continue
        try:
            transcript = Transcript(path)
        except (Failure, KeyError, ValueError) as error:
            results.failed += 1
            print(f"FAILED {name}: {error}")
            continue
        for framing, split in WAYS[:2] if options.quick else WAYS:
            if framing not in transcript.framings:
                continue

            def body():
                with Service(options.start, options.socket) as service:
                    Player(transcript, document, service.socket, framing, split, options.seed).run()

            results.run(f"{name} ({framing}, {split}, seed {options.seed})", body,
                        name.removesuffix(".ndjson") in options.lacking)

        def attack():
            with Service(options.start, options.socket) as service:
                chance = random.Random(f"{options.seed} {name}")
                mutations.Attack(transcript, service, chance, options.mutants).run()

        if options.mutants:
            results.run(f"{name} (mutated, seed {options.seed})", attack)


def play_vectors(options, results):
    with Service(options.start, options.socket) as service:
        for vector in (vectors.frames(options.frames, service),
                       vectors.documents(options.json, service),
                       vectors.values(options.values, service)):
            for name, body in vector:
                if options.only in name:
                    results.run(name, body)


def server(options):
    results = Results()
    if options.start:
        play_transcripts(options, results)
    try:
        play_vectors(options, results)
    except Failure as failure:
        results.failed += 1
        print(f"FAILED the service of the vectors: {failure}")
    return results.finish()


def client(words):
    level = 1
    if words[:1] == ["--level"]:
        if words[1:2] not in (["1"], ["2"]):
            sys.exit("run.py: there are the levels 1 and 2")
        level, words = int(words[1]), words[2:]
    command = words[1:] if words[:1] == ["--"] else words
    if not command:
        sys.exit(__doc__)
    results = Results()
    results.run(f"client, level {level}: " + " ".join(command), lambda: certify.run(command, level))
    return results.finish()


def program(words):
    if words[:1] != ["--start"] or words[2:3] != ["--"] or not words[3:]:
        sys.exit(__doc__)
    results = Results()

    def body():
        with Service(words[1], None) as service:
            certify.execute(words[3:], DEPOT_SOCKET=service.socket)

    results.run("program " + " ".join(words[3:]), body)
    return results.finish()


def main():
    if sys.argv[1:2] == ["program"]:
        return program(sys.argv[2:])
    if sys.argv[1:2] == ["client"]:
        return client(sys.argv[2:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mode", choices=["server"])
    parser.add_argument("--start")
    parser.add_argument("--socket")
    parser.add_argument("--transcripts", type=pathlib.Path, default=ROOT / "transcripts")
    parser.add_argument("--frames", type=pathlib.Path, default=ROOT / "vectors" / "frames")
    parser.add_argument("--json", type=pathlib.Path, default=ROOT / "vectors" / "json")
    parser.add_argument("--values", type=pathlib.Path, default=ROOT / "vectors" / "values")
    parser.add_argument("--only", default="")
    parser.add_argument("--lacking", action="append", default=[])
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--mutants", type=int, default=0)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    if not options.start and not options.socket:
        parser.error("give --start, --socket, or both")
    return server(options)


if __name__ == "__main__":
    sys.exit(main())

"""Finds the directed triples of `bot/leagues/groups.py`: `python -m tests.leagues.triple_search` prints the data.

Takes about a minute. Any other find that passes `test_triples.py` would do as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import count, permutations
from random import Random

Triple = tuple[int, int, int]
Rounds = list[list[Triple]]

TURNS = ((0, 1, 2), (1, 2, 0), (2, 0, 1))
"""The ways to seat a ring: who sits first changes, who attacks whom does not."""


def arcs(triple: Triple) -> tuple[tuple[int, int], ...]:
    """Who attacks whom."""
    a, b, c = triple
    return (a, b), (b, c), (c, a)


def missing_arcs(size: int) -> set[tuple[int, int]]:
    """The attacks that are left out where no triples hold all of them.

    With 6 and 8 one circle of everybody: each lacks one attack either way, and all play as many games. With 5 there is
    no such set of triples; the last two never meet.
    """
    circles = {5: (3, 4), 6: range(6), 8: range(8)}
    circle = circles.get(size, ())
    return {(entry, circle[at - 1]) for at, entry in enumerate(circle)}


def find_rounds(size: int, length: int, random: Random) -> Rounds | None:
    """Triples with every attack once but for the missing ones, in that many rounds; None after many tries."""
    wanted = {*permutations(range(size), 2)} - missing_arcs(size)
    rings = [
        triple
        for triple in permutations(range(size), 3)
        if triple[0] == min(triple) and wanted.issuperset(arcs(triple))
    ]
    options = [(ring, number) for ring in rings for number in range(length)]
    cover: dict[object, set[int]] = {arc: set() for arc in wanted}
    rests = size % 3 == 1 and length == size
    for at, (ring, number) in enumerate(options):
        if rests and number in ring:  # every entry rests in the round with its number
            continue
        for item in arcs(ring):
            cover[item].add(at)
    clashes = [
        {
            other
            for other, (second, there) in enumerate(options)
            if set(arcs(ring)) & set(arcs(second)) or (there == number and set(ring) & set(second))
        }
        for ring, number in options
    ]
    budget = [3_000]

    def search(open_items: dict[object, set[int]], chosen: list[int]) -> list[int] | None:
        if not open_items:
            return chosen
        budget[0] -= 1
        if budget[0] < 0:
            return None
        item = min(open_items, key=lambda item: (len(open_items[item]), random.random()))
        candidates = sorted(open_items[item])
        random.shuffle(candidates)
        for at in candidates:
            done = set(arcs(options[at][0]))
            left = {other: found - clashes[at] for other, found in open_items.items() if other not in done}
            if all(left.values()) and (result := search(left, [*chosen, at])) is not None:
                return result
        return None

    chosen = search(cover, [])
    if chosen is None:
        return None
    rounds: Rounds = [[] for _ in range(length)]
    for at in chosen:
        rounds[options[at][1]].append(options[at][0])
    return [sorted(games) for games in rounds]


def unfairness(seats: Counter[tuple[int, int]], size: int) -> int:
    """The sum of the squares of how often each entry has each seat; least where the seats are balanced."""
    return sum(seats[entry, seat] ** 2 for entry in range(size) for seat in range(3))


def seated(rounds: Rounds, size: int, random: Random, before: Sequence[list[Triple]] = ()) -> Rounds:
    """The rings turned so that all seats are balanced, together with the rounds before, and no game is there twice."""
    taken = {triple for games in before for triple in games}
    best, least = rounds, 10**9
    for _ in range(3000):
        turned = [
            [random.choice([one for one in turns(triple) if one not in taken]) for triple in games] for games in rounds
        ]
        seats = Counter(
            (entry, seat) for games in (*before, *turned) for triple in games for seat, entry in enumerate(triple)
        )
        improved = True
        while improved:
            improved = False
            for games in turned:
                for at, triple in enumerate(games):
                    for other in set(turns(triple)) - taken:
                        changed = seats.copy()
                        changed.subtract((entry, seat) for seat, entry in enumerate(games[at]))
                        changed.update((entry, seat) for seat, entry in enumerate(other))
                        if unfairness(changed, size) < unfairness(seats, size):
                            games[at], seats, improved = other, changed, True
        if unfairness(seats, size) < least:
            best, least = turned, unfairness(seats, size)
            spread = [[seats[entry, seat] for seat in range(3)] for entry in range(size)]
            if all(max(counts) - min(counts) <= (0 if sum(counts) % 3 == 0 else 1) for counts in spread):
                break
    return best


def turns(triple: Triple) -> Iterator[Triple]:
    """The three ways to seat that ring."""
    for a, b, c in TURNS:
        yield triple[a], triple[b], triple[c]


def write(rounds: Rounds) -> str:
    """Rounds as the data has them."""
    return " ".join(",".join("".join(map(str, triple)) for triple in games) for games in rounds)


def main() -> None:
    """Prints the triples of every size, then those of the second half of a double schedule."""
    for size in range(3, 11):
        least = -(-len({*permutations(range(size), 2)} - missing_arcs(size)) // 3 // (size // 3))
        tries = ((length, Random(seed)) for length in count(least) for seed in range(30))
        found = ((find_rounds(size, length, random), random) for length, random in tries)
        rounds, random = next((rounds, random) for rounds, random in found if rounds)
        first = seated(rounds, size, random)
        second = seated([[(c, b, a) for a, b, c in games] for games in first], size, random, first)
        print(f'{size}: ("{write(first)}", "{write(second)}"),', flush=True)


if __name__ == "__main__":
    main()

"""Triads, which the queue no longer begins, end as they began, through the services and a real database."""

from __future__ import annotations

from bot.core.match import Match
from bot.ladder import rows
from bot.ladder.service import begin_ladder_game
from bot.ladder.state import EntryKind, LadderId, triad_points
from bot.play.service import Service
from tests.bot import acts
from tests.bot.playing import ADA, BO, CY, DEE, GUILD, NOW
from tests.bot.serving import TRI, join, play, queue, rungs, won


async def begin_triad(service: Service) -> list[Match]:
    """Begins a triad as an older version stored it."""
    ladder_id, orders = LadderId(*TRI), [(ADA, BO, CY), (BO, CY, ADA), (CY, ADA, BO)]
    async with service.store.write_transaction() as tx:
        games = [await begin_ladder_game(tx, ladder_id, order, NOW) for order in orders]
        ladder = await rows.load_ladder(tx, ladder_id)
        paired = ladder.next_entry(NOW, EntryKind.PAIRED, orders[0], tuple(match.id for match in games))
        await rows.add_entry(tx, ladder_id, ladder, paired)
    return games


async def test_a_triads_results_show_its_current_points_whatever_a_referee_decides(service: Service) -> None:
    await join(service, ADA, BO, CY, place=TRI)
    one, two, three = await begin_triad(service)

    async def points_behind(match: Match) -> dict[int, int]:
        triad = (await rows.effects_of(service.reader, match)).triad
        assert triad is not None
        assert triad.matches == (one.id, two.id, three.id)
        return triad_points((ADA, BO, CY), triad.parsed_scores)

    async def drawn(match: Match, now: int) -> None:
        await play(service, match, now)
        await acts.offer_draw(service, match.id, GUILD, ADA, now)
        for user in (BO, CY):
            await acts.accept_draw(service, match.id, GUILD, user, now)

    assert (await rows.effects_of(service.reader, one)).triad is None, "it is on"
    await drawn(two, NOW + 1)
    await won(service, one, ADA, NOW + 2)
    assert await points_behind(two) == {ADA: 1, BO: 1, CY: 1}
    assert await points_behind(one) == {ADA: 4, BO: 1, CY: 1}
    await acts.rewind(service, two.id, GUILD, DEE, 10, "a wrong board", NOW + 3)
    await acts.annul(service, one.id, GUILD, DEE, "a wager", NOW + 4)
    await won(service, three, CY, NOW + 5)
    assert await points_behind(three) == {ADA: 0, BO: 0, CY: 3}
    await won(service, await service.current_match(two.id, GUILD), BO, NOW + 6)
    assert await points_behind(two) == {ADA: 0, BO: 3, CY: 3}
    assert await rungs(service, TRI) == {ADA: 0, BO: 0, CY: 0}
    single = await queue(service, ADA, BO, CY, place=TRI, now=NOW + 7)
    await won(service, single[0], ADA, NOW + 8)
    assert (await rows.effects_of(service.reader, single[0])).triad is None

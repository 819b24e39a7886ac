"""What people look at: boards, moves, lists, records, rules and help, in their own language."""

from __future__ import annotations

import re

import pytest

from bot.texts.i18n import language_name, text
from rules import VARIANTS, legal_moves, parse_record
from sandbox.limits.components import walk
from sandbox.shown_messages import Reply
from tests.e2e.database_contents import settled
from tests.e2e.forged_components import press_old
from tests.e2e.game_checks import BUSY, cells_of, cells_told, check_picture, moves_in, moves_of
from tests.e2e.room import Room, accepted, open_table, posted_table, public, words
from tests.examples import ordinarily
from tests.sentences import LONGEST_TEXT, label, part

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_board_is_shown_now_and_as_it_was(room: Room) -> None:
    played, ada, bo, cy = await room.start_watched()
    for move in moves_of("camelot-castle")[:4]:
        await played.move(move)
    for person in (ada, bo, cy):  # Cy watches: the channel's only game is meant
        shown = await person.command(room.channel, "board")
        assert shown.ephemeral
        assert shown.text.startswith(f"**Camelot** · game #{played.number} · after turn 2, Black.")
        assert cells_told(words(shown), "White") == cells_of(played.game.position, 0)
        await check_picture(person, shown)
    start = await ada.command(room.channel, "board", turn="0")
    assert text("en", "alt.start") in start.text
    assert cells_told(words(start), "Black") == cells_of(VARIANTS["camelot"].start_position, 1)
    before = await ada.command(room.channel, "board", turn="2 white")
    assert "after turn 2, White" in before.text
    assert moves_of("camelot-castle")[2] in words(before)
    after_round = await ada.command(room.channel, "board", turn="1.")
    assert "after turn 1, Black" in after_round.text
    offered = await ada.autocomplete(room.channel, "board", {"turn": "2"}, "turn")
    assert offered == [f"2, Black: {moves_of('camelot-castle')[3]}", f"2, White: {moves_of('camelot-castle')[2]}"]
    assert words(await ada.command(room.channel, "board", turn=offered[1])) == words(before)
    late = await ada.command(room.channel, "board", turn="3 white")
    assert late.text == text("en", "failure.no-such-turn", turn="3 white", last="2, Black")
    for_all = await cy.command(room.channel, "board", public=True)
    assert not for_all.ephemeral
    for person in (ada, bo):
        assert [said.pings_me for said in await played.since(person)] == [False]
    refused = await cy.command(room.channel, "board", public=True, turn="3 white")
    assert refused.ephemeral
    assert refused.text == late.text


@pytest.mark.parametrize("key", ordinarily(VARIANTS, "tri-camelot"))
async def test_moves_are_completed_leg_by_leg(room: Room, key: str) -> None:
    people = await room.enter(*("Ada", "Bo", "Cy")[: len(VARIANTS[key].seats)])
    played = await room.start(key, *people)
    for move in moves_of(f"{key}-castle"):
        person = played.mover
        pieces = await person.autocomplete(room.channel, "move", {"move": ""}, "move")
        waiting = next(one for one in people if one is not person)
        assert await waiting.autocomplete(room.channel, "move", {"move": ""}, "move") == []
        start = move.replace("x", "-").split("-")[0]
        assert start in pieces
        offered = await person.autocomplete(room.channel, "move", {"move": move}, "move")
        assert move in offered
        behind = await person.autocomplete(room.channel, "move", {"move": start.lower()}, "move")
        assert all(one.startswith(start) for one in behind)
        assert max(len(pieces), len(offered), len(behind)) <= 25
        assert all(len(one) <= 100 for one in (*pieces, *offered, *behind))
        captures = ["x" in one for one in behind]
        assert captures == sorted(captures, reverse=True)
        played.game = played.game.play(move)
        planned = await waiting.autocomplete(room.channel, "plan", {"line": f"{move}* "}, "line")
        # The bug: the only cells were those of another game, in the description.
        assert {one.startswith(f"{move}* ") for one in planned} == {True} - {played.game.outcome is not None}
        assert "You played" in (await played.try_move(move, person)).text
    assert await people[0].autocomplete(room.channel, "move", {"move": ""}, "move") == []


async def test_with_a_thousand_moves_in_a_position_answers_fit(room: Room) -> None:
    played, *_ = await room.start_two("chivalry")
    for move in moves_in(parse_record(BUSY.read_text("utf-8"))):
        await played.move(move)
    moves = legal_moves(played.game.position)
    assert len(moves) > 1000
    for typed in ("", *sorted({played.game.position.names(move.path)[0] for move in moves}), "d6-", "zz"):
        offered = await played.mover.autocomplete(room.channel, "move", {"move": typed}, "move")
        assert len(offered) <= 25
        assert all(len(one) <= 100 for one in offered)


async def test_the_record_is_shown_and_can_be_taken_away(room: Room) -> None:
    played, ada, bo = await room.start_two()
    empty = await ada.command(room.channel, "game history")
    assert text("en", "history.empty") in empty.text
    for move in moves_of("camelot-castle")[:5]:
        await played.move(move)
    shown = await bo.command(room.channel, "game history")
    assert shown.ephemeral
    (file,) = shown.attachments
    assert file["filename"] == f"game-{played.number}.txt"
    written = (await bo.picture(file)).decode()
    assert written.strip() in shown.text
    record = parse_record(written)
    assert record.replay().moves == played.game.moves
    assert record.headers["result"] == "unfinished"
    assert record.headers["players"] == f"White {ada.name}, Black {bo.name}"


@pytest.mark.parametrize("locale", ["en-US", "no"])
@pytest.mark.parametrize("key", ordinarily(VARIANTS, "tri-camelot"))
async def test_the_rules_are_read_page_by_page_with_pictures(room: Room, key: str, locale: str) -> None:
    (ada,) = await room.enter("Ada", locale=locale)
    page = await ada.command(room.channel, "learn rules", variant=key)
    assert page.ephemeral
    onward, back = ("Next ▶", "◀ Back") if locale == "en-US" else ("Neste ▶", "◀ Tilbake")
    texts, pictures = [page.text], len(page.attachments)
    while onward in page.buttons:
        page = await ada.click(page, onward)
        assert page.answer == "update"
        texts.append(page.text)
        pictures += len(page.attachments)
        for shown in page.attachments:
            assert shown["description"]
    assert len(texts) >= 3
    assert len(set(texts)) == len(texts)
    assert pictures >= 2
    number = f"page {len(texts)} of {len(texts)}" if locale == "en-US" else f"side {len(texts)} av {len(texts)}"
    assert number in texts[-1]
    page = await ada.click(page, back)
    assert page.text == texts[-2]


async def test_help_says_how_to_begin_and_opens_the_rules(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    shown = await ada.command(room.channel, "help")
    assert shown.ephemeral
    assert len(shown.text.split("\n**Tri-Camelot**:")[0]) <= LONGEST_TEXT
    assert shown.buttons == [text("en", "button.rules")] * len(VARIANTS)
    page = await ada.click(shown, "rt:rules:0:0:cam-3d")
    assert page.ephemeral
    assert "Cam 3-D" in page.text


async def test_without_a_set_language_a_servers_first_table_takes_its_hosts(own_room: Room) -> None:
    (kari,), (bo,) = await own_room.enter("Kari", locale="no"), await own_room.enter("Bo")
    await kari.call("PATCH", f"/app/guilds/{own_room.guild}", {"community": False})
    offered = await kari.command(own_room.channel, "play", variant="camelot")
    adopted = text("no", "server.language.adopted", language=language_name("no"))
    assert offered.text.endswith(f"\n{adopted}")
    assert part("table.open", "no") in (await posted_table(kari, own_room.channel, offered))[1].text
    offered = await bo.command(own_room.channel, "play", variant="camelot")
    assert "\n" not in offered.text
    assert part("table.open", "no") in (await posted_table(bo, own_room.channel, offered))[1].text


async def test_private_answers_speak_the_readers_language_and_public_posts_the_servers(room: Room) -> None:
    ada, bo = (await room.enter("Ada", locale="no")) + (await room.enter("Bo"))
    played = await room.start("camelot", ada, bo)
    assert part("turn.begins") in played.last.text
    refused = await played.try_move("F7-F10")
    assert "**F7** og **F10**" in refused.text
    labels = {one["name"]: one["description"] for one in await ada.commands()}
    assert "trekk" in labels["move"].lower()
    help_text = (await ada.command(room.channel, "help")).text
    assert part("help.text", "no").splitlines()[0] in help_text
    assert all(f"**{label(name)}**" in help_text for name in ("compose", "more")), "as on the public boards"
    try:
        await ada.call("PATCH", f"/app/guilds/{room.guild}", {"locale": "no"})
        moved = await ada.command(room.channel, "move", move="F7-F8")
        assert moved.text == text("no", "move.done", move="F7-F8", id=played.number, where="").strip()
        told = (await public(bo, room.channel))[-1]
        assert re.search(r"\*\*Hvit\*\* (\(Ada .*\) )?trekker `F7-F8`\.", told.text)
        assert f"<@{bo.id}>, det er din tur." in told.text
        assert "Hvit trakk F7-F8." in words(told)
        assert (await press_old(room.house, bo, room.channel, f"rt:more:{played.number}:0:-")).text.startswith(
            "**Camelot** · game"
        )
        table = await open_table(bo, room.channel, variant="cam-3d")
        assert part("table.open", "no") in table.text
        assert [table.buttons[0], *table.buttons[-2:]] == ["Bli med", "Avlys", label("seek", "no")]
        joined = await ada.click(table, "Bli med")
        assert accepted(joined)
    finally:
        await ada.call("PATCH", f"/app/guilds/{room.guild}", {"locale": "en-US"})


# Lists are rows with their own buttons, in messages of Components V2


CONTAINER = 17


def accents(answer: Reply) -> list[int | None]:
    """Returns the colours of the containers."""
    assert answer.message is not None
    parts = [part for _, part in walk(answer.message.json["components"])]
    return [part.get("accent_color") for part in parts if part["type"] == CONTAINER]


def is_layout(answer: Reply) -> bool:
    assert answer.message is not None
    return bool(answer.message.json["components_v2"])


async def test_games_are_rows_in_the_colour_of_whose_turn_it_is(room: Room) -> None:
    first, ada, bo = await room.start_two()
    second = await room.start("chivalry", bo, ada)
    listed = await ada.command(room.channel, "games")
    assert is_layout(listed)
    assert listed.ephemeral
    assert listed.buttons[:2] == [text("en", "button.compose"), text("en", "games.look")]
    white, other = accents(listed)
    assert white == other is not None, "White is to move in both"
    panel = await ada.click(listed, text("en", "button.compose"))
    assert panel.message is not None
    assert panel.message.id != listed.message.id  # type: ignore[union-attr]
    assert "#" + str(first.number) in panel.text
    board = await ada.click(listed, text("en", "games.look"))
    assert f"game #{second.number}" in board.text
    assert board.attachments


async def test_more_games_than_a_page_holds_are_turned_to(room: Room) -> None:
    ada, bo = await room.enter("Ada", "Bo")
    for players in ((ada, bo), (bo, ada)) * 4:
        await room.start("camelot", *players)
    await settled(room.house)  # else the newest board has no link yet
    first = await ada.command(room.channel, "games")
    assert len(accents(first)) == 7
    second = await ada.click(first, text("en", "pager.next"))
    assert is_layout(second)
    assert len(accents(second)) == 1
    assert (await ada.click(second, text("en", "pager.back"))).text == first.text


async def test_a_plan_opened_from_its_row_stays_in_the_message(room: Room) -> None:
    played, ada, _ = await room.start_two()
    moves = ["C6-C5", "C11-C12"]
    asked = await ada.command(played.channel, "plan", line=" ".join(["C6-C5", *moves[1:], "C5-C4"]))
    await ada.click(asked, text("en", "button.plan-confirm"))
    listed = await ada.command(played.channel, "plan")
    assert is_layout(listed)
    opened = await ada.click(listed, text("en", "button.plan-view"))
    assert is_layout(opened)
    assert opened.attachments
    back = await ada.click(opened, text("en", "button.plan-list"))
    assert back.text == listed.text
    assert not back.attachments


async def test_the_pager_of_an_older_list_turns_it_into_rows(room: Room) -> None:
    _, ada, _ = await room.start_two()
    page = await press_old(room.house, ada, room.channel, f"rt-sheet:live:-:{ada.id}:0:0")
    assert is_layout(page)
    assert page.message is not None
    assert page.message.json["content"] == ""


async def test_leaders_lead_to_their_profiles(room: Room) -> None:
    (ada,) = await room.enter("Ada")
    board = await ada.command(room.channel, "ladder leaderboard", variant="camelot")
    assert is_layout(board)
    assert text("en", "leaderboard.empty") in board.text or text("en", "button.profile") in board.buttons
    other = await ada.choose(board, "rt-sheets:turn", ["leaderboard:cam:0:0:0"])
    assert is_layout(other)
    assert text("en", "variant.cam") in other.text

"""The tables of a ladder: who stands where, what has happened to somebody, and whom a challenge may go to."""

from __future__ import annotations

import re

from discord import app_commands

from bot.commands.app import Asker, app
from bot.commands.history import require_shown
from bot.commands.options import CHOICES, LONGEST_CHOICE, known
from bot.kit.errors import Declined
from bot.kit.reply import Interaction, here, now, reader
from bot.kit.sheets import ANY, Sheet, Shown, fitting, leaves, ranking_buttons, sheet, variants
from bot.ladder.entries import EXCUSED, TRIAD, EntryKind, parse_score
from bot.ladder.standings import DEEDS, History, LadderPage, Row
from bot.match.events import LARGEST
from bot.texts.i18n import Language, join, plural, text
from bot.texts.ladder import legend, marks, number, rules_pages, score
from bot.texts.sentences import mention, mentions, one_line, plain
from rules import VARIANTS

STAIRS, HISTORY, LADDER_RULES = "stairs", "climbing", "ladder-rules"


@sheet(STAIRS)
async def stairs(interaction: Interaction, wanted: Sheet) -> Shown:
    """A page of a ladder's table, with the other ladders as buttons."""
    known(wanted.variant)  # not all of them at once, which other sheets can be of
    asker, at = Asker(interaction), now()
    page = await asker.service.ladders.show(asker.guild, wanted.variant, wanted.page, at, asker.user)
    buttons = ranking_buttons(asker.locale, wanted._replace(page=page.page), page.pages)
    return Shown(stairs_text(asker.locale, wanted.variant, page, at), buttons)


def stairs_text(locale: Language, variant: str, page: LadderPage, at: int) -> str:
    """That page in words."""
    season = page.season
    lines = [text(locale, "ladder.title", variant=text(locale, f"variant.{variant}"))]
    if season:
        lines[0] += " · " + text(locale, "ladder.season", number=season.number, until=f"<t:{season.until}:R>")
    if not page.rows:
        return "\n".join([*lines, text(locale, "ladder.empty", key=variant)])
    lines += [_row(locale, row, at) for row in page.rows]
    foot = [plural(locale, "ladder.climbers", page.total)]
    if page.pages > 1:
        foot.append(text(locale, "sheet.page", page=page.page + 1, pages=page.pages))
    if page.own:
        foot.append(text(locale, "sheet.own", place=page.own))
    signs = legend(locale, (row.climber for row in page.rows), at)
    return fitting([*lines, f"-# {' · '.join(foot)}", *([signs] if signs else [])])


def _row(locale: Language, row: Row, at: int) -> str:
    climber = row.climber
    return text(
        locale,
        "ladder.row",
        place=row.place,
        step=climber.step,
        player=mention(climber.user, locale),
        rating=number(row.rating, at),
        score=score(climber.wins, climber.draws, climber.losses),
        marks=marks(climber, at),
    ).rstrip()


@sheet(HISTORY)
async def climbing(interaction: Interaction, wanted: Sheet) -> Shown:
    """What has happened to somebody on one ladder, the latest first, with the other ladders as buttons.

    It is about one person, like a profile, and hidden with it; the stairs show everybody, as one is challenged there.
    """
    asker = Asker(interaction)
    await require_shown(interaction, wanted.user)
    guild, locale, ladders = asker.guild, asker.locale, asker.service.ladders
    known = [key for key in VARIANTS if await ladders.history(guild, key, wanted.user)]
    if wanted.variant == ANY:
        wanted = wanted._replace(variant=known[0] if known else next(iter(VARIANTS)))
    found = await ladders.history(guild, wanted.variant, wanted.user, wanted.page)
    if not found:
        name = text(locale, f"variant.{wanted.variant}")
        raise Declined("ladder.no-history", player=mention(wanted.user, locale), variant=name)
    more = len(found) == DEEDS and await ladders.history(guild, wanted.variant, wanted.user, wanted.page + 1)
    buttons = [*leaves(locale, wanted, wanted.page + (2 if more else 1)), *variants(locale, wanted, known)]
    return Shown(history_text(locale, wanted.variant, wanted.user, found), buttons)


@sheet(LADDER_RULES)
async def ladder_rules(interaction: Interaction, wanted: Sheet) -> Shown:
    """A page of the rules of this server's ladders."""
    asker = Asker(interaction)
    pages = rules_pages(asker.locale, app(interaction).servers.settings(asker.guild))
    wanted = wanted._replace(page=min(wanted.page, len(pages) - 1))
    return Shown(pages[wanted.page], leaves(asker.locale, wanted, len(pages)))


def history_text(locale: Language, variant: str, user: int, found: tuple[History, ...]) -> str:
    """Those entries in words, a line each."""
    name, player = text(locale, f"variant.{variant}"), mention(user, locale)
    title = text(locale, "ladder.history", variant=name, player=player)
    return fitting([title, *(_past(locale, user, one) for one in found)])


def _past(locale: Language, user: int, one: History) -> str:
    """An entry: when, what, and where it has brought the user, if anywhere."""
    line = f"- <t:{one.entry.at}:d> {_deed(locale, user, one)}"
    if one.step_before is not None and one.step_before != one.step:
        line += " " + text(locale, "ladder.past.step", before=one.step_before, after=one.step)
    return line


def _deed(locale: Language, user: int, one: History) -> str:
    entry = one.entry
    key = f"ladder.past.{entry.kind.name.lower().replace('_', '-')}"
    match entry.kind:
        case EntryKind.FINISHED:
            result = parse_score(entry.body)
            groups = (("won", result.won), ("drew", result.drew), ("late", result.late), ("lost", result.lost))
            fate = next((name for name, users in groups if user in users), "none")
            return text(locale, f"{key}-{fate}", id=entry.matches[0])
        case EntryKind.QUEUED if entry.body == TRIAD:
            return text(locale, f"{key}-triad")
        case EntryKind.LAPSED if entry.body == EXCUSED:
            key += "-excused"
    values: dict[str, object] = {"games": join(locale, [f"#{match}" for match in entry.matches] or ["–"])}
    if entry.kind in _BETWEEN_TWO:
        values["challenger"], values["challenged"] = mentions(locale, entry.users)
    elif entry.users:
        values["players"] = join(locale, mentions(locale, entry.users))
    return text(locale, key, **values)


_BETWEEN_TWO = (EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED)


ASKED = 50
"""Climbers, the highest first, whose names are looked at."""

PATIENCE = 2.0
"""Seconds in which Discord must have said what people are called; suggestions are due within three."""

_TYPED = re.compile(r"\s*<?@?!?(\d{15,20})>?\s*")


async def suggest_challenged(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
    """Those who may be challenged, the highest first, whose names have what is typed."""
    variant = interaction.namespace.variant
    if variant not in VARIANTS or here(interaction) is None:
        return []
    steps = await _challengeable(interaction, variant)
    names = await _names(interaction, tuple(steps))
    locale, begun = reader(interaction), current.strip().casefold()
    found = [
        app_commands.Choice(
            name=text(locale, "ladder.choice", name=one_line(names[user]), step=step)[:LONGEST_CHOICE], value=str(user)
        )
        for user, step in steps.items()
        if user in names and begun in names[user].casefold()
    ]
    return found[:CHOICES]


async def challenged_user(interaction: Interaction, variant: str, typed: str) -> int:
    """Whom the option means: a suggestion, a mention, or the name of somebody near the top of the ladder.

    Raises Declined where it is nobody's, and LadderError where the user may not challenge anybody. Whether the other
    may be challenged is for the ladder to say.
    """
    if (found := _TYPED.fullmatch(typed)) and int(found[1]) <= LARGEST:
        return int(found[1])
    if (user := await _named(interaction, await _challengeable(interaction, variant), typed)) is not None:
        return user
    # Nobody is offered to who may not challenge at all, nor those whom a rule protects: say the rule, not "nobody".
    asker = Asker(interaction)
    await asker.service.ladders.require_challenger(asker.guild, variant, asker.user, now())
    shown = await asker.service.ladders.show(asker.guild, variant, 0, now())
    steps = {row.climber.user: row.climber.step for row in shown.rows}
    if (user := await _named(interaction, steps, typed)) is not None:
        return user
    raise Declined("ladder.nobody", typed=plain(typed))


async def _named(interaction: Interaction, steps: dict[int, int], typed: str) -> int | None:
    """Who of those, given with their rungs, is called what is typed."""
    locale, wanted = reader(interaction), typed.strip().casefold()
    for user, name in (await _names(interaction, tuple(steps))).items():
        # What some clients send is the words of the suggestion, not its value.
        shown = text(locale, "ladder.choice", name=one_line(name), step=steps[user])
        if wanted in (name.casefold(), shown.casefold()):
            return user
    return None


async def _challengeable(interaction: Interaction, variant: str) -> dict[int, int]:
    """Their rungs, the highest first."""
    asker = Asker(interaction)
    found = await asker.service.ladders.challengeable(asker.guild, variant, asker.user, now())
    return {climber.user: climber.step for climber in found[:ASKED]}


async def _names(interaction: Interaction, users: tuple[int, ...]) -> dict[int, str]:
    """What those people are called, as far as Discord says so in time; the next time all are known."""
    return await app(interaction).names.find(Asker(interaction).guild, users, PATIENCE)

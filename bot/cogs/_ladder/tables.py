"""The tables of a ladder: who stands where, and what has happened to somebody."""

from __future__ import annotations

from bot.cogs._answers.errors import Declined
from bot.cogs._answers.options import where
from bot.cogs._answers.outdated import outdated
from bot.cogs._answers.reply import Press, now, reader
from bot.cogs._answers.sheets import ANY, Sheet, Shown, fitting, leaves, sheet, variants
from bot.cogs._ladder.words import legend, marks, number, score
from bot.cogs._looking import require_shown
from bot.i18n import Language, join, plural, text
from bot.ladder.entries import EXCUSED, TRIAD, Kind, parse_score
from bot.standings import DEEDS, History, LadderPage, Row
from bot.words import mention, mentions
from rules import VARIANTS

STAIRS, HISTORY = "stairs", "climbing"


@sheet(STAIRS)
async def stairs(press: Press, wanted: Sheet) -> Shown:
    """A page of a ladder's table, with the other ladders as buttons."""
    if wanted.variant not in VARIANTS:  # all of them at once, which other sheets can be of
        await outdated()
    guild, _ = where(press)
    locale, at = reader(press), now()
    page = await press.client.service.ladder_show(guild, wanted.variant, wanted.page, at, press.user.id)
    buttons = [*leaves(locale, wanted._replace(page=page.page), page.pages), *variants(locale, wanted, list(VARIANTS))]
    return Shown(stairs_text(locale, wanted.variant, page, at), buttons)


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
async def climbing(press: Press, wanted: Sheet) -> Shown:
    """What has happened to somebody on one ladder, the latest first, with the other ladders as buttons.

    It is about one person, like a profile, and hidden with it; the stairs show everybody, as one is challenged there.
    """
    guild, _ = where(press)
    await require_shown(press, wanted.user)
    service, locale = press.client.service, reader(press)
    known = [key for key in VARIANTS if await service.ladder_history(guild, key, wanted.user)]
    if wanted.variant == ANY:
        wanted = wanted._replace(variant=known[0] if known else next(iter(VARIANTS)))
    found = await service.ladder_history(guild, wanted.variant, wanted.user, wanted.page)
    if not found:
        name = text(locale, f"variant.{wanted.variant}")
        raise Declined("ladder.no-history", player=mention(wanted.user, locale), variant=name)
    full = len(found) == DEEDS
    more = full and bool(await service.ladder_history(guild, wanted.variant, wanted.user, wanted.page + 1))
    pages = wanted.page + 1 + more
    buttons = [*leaves(locale, wanted, pages), *variants(locale, wanted, known)]
    return Shown(history_text(locale, wanted.variant, wanted.user, found), buttons)


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
        case Kind.FINISHED:
            result = parse_score(entry.body)
            groups = (("won", result.won), ("drew", result.drew), ("late", result.late), ("lost", result.lost))
            fate = next((name for name, users in groups if user in users), "none")
            return text(locale, f"{key}-{fate}", id=entry.matches[0])
        case Kind.QUEUED if entry.body == TRIAD:
            return text(locale, f"{key}-triad")
        case Kind.LAPSED if entry.body == EXCUSED:
            key += "-excused"
    values: dict[str, object] = {"games": join(locale, [f"#{match}" for match in entry.matches] or ["–"])}
    if entry.kind in _BETWEEN_TWO:
        values["challenger"], values["challenged"] = mentions(locale, entry.users)
    elif entry.users:
        values["players"] = join(locale, mentions(locale, entry.users))
    return text(locale, key, **values)


_BETWEEN_TWO = (Kind.CHALLENGED, Kind.ACCEPTED, Kind.REFUSED, Kind.LAPSED)

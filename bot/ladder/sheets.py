"""The sheets of a ladder: the standings, a person's history, and the rules."""

from __future__ import annotations

from collections.abc import Sequence

from bot.discordkit.components import Button
from bot.discordkit.errors import Declined
from bot.discordkit.reply import Interaction, fit_lines
from bot.ladder.rows import climber_history
from bot.ladder.service import ladder_page
from bot.ladder.state import (
    EXCUSED_BODY,
    HISTORY_ROWS,
    TRIAD_BODY,
    EntryKind,
    LadderHistoryRow,
    LadderId,
    LadderPage,
    LadderRow,
    parse_score,
)
from bot.ladder.words import climber_signs, rules_pages, signs_legend
from bot.play.caller import Caller
from bot.play.history import require_public_profiles
from bot.play.options import require_known_variant
from bot.play.sheets import (
    ANY_VARIANT,
    OPEN_BUTTONS,
    Sheet,
    SheetContent,
    draws_sheets,
    page_buttons,
    ranking_buttons,
    variant_buttons,
)
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.people import mention_user, mention_users, rating_number, score_text
from rules import VARIANTS

STAIRS_SHEET, LADDER_HISTORY_SHEET, LADDER_RULES_SHEET = "stairs", "climbing", "ladder-rules"


@draws_sheets(STAIRS_SHEET)
async def show_stairs(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of a ladder's standings, with the other ladders as buttons."""
    require_known_variant(request.variant)  # other sheets also accept "all variants"
    caller = Caller(interaction)
    ladder_id = LadderId(caller.guild, request.variant)
    page = await ladder_page(caller.service, caller.actor, ladder_id, request.page)
    locale, rules = caller.locale, Sheet(LADDER_RULES_SHEET)
    buttons = [
        *ranking_buttons(locale, request._replace(page=page.page), page.pages),
        OPEN_BUTTONS.make_button("", rules, text(locale, "button.rules")),
        *([history_button(locale, caller.user)] if page.own else ()),
    ]
    return SheetContent(stairs_text(locale, request.variant, page, caller.now), buttons)


def history_button(locale: Language, user: int) -> Button:
    """Returns the button that shows what has happened to that user on the ladders."""
    history = Sheet(LADDER_HISTORY_SHEET, ANY_VARIANT, user)
    return OPEN_BUTTONS.make_button("", history, text(locale, "button.ladder-history"))


def stairs_text(locale: Language, variant: str, page: LadderPage, at: int) -> str:
    """Returns a page of the standings in words."""
    season = page.season
    lines = [text(locale, "ladder.title", variant=text(locale, f"variant.{variant}"))]
    if season:
        lines[0] += " · " + text(locale, "ladder.season", number=season.number, until=f"<t:{season.until}:R>")
    if not page.rows:
        return "\n".join([*lines, text(locale, "ladder.empty", key=variant)])
    lines += [_row_text(locale, row, at) for row in page.rows]
    footer = [plural_text(locale, "ladder.climbers", page.total)]
    if page.pages > 1:
        footer.append(text(locale, "sheet.page", page=page.page + 1, pages=page.pages))
    if page.own:
        footer.append(text(locale, "sheet.own", place=page.own))
    signs = signs_legend(locale, (row.climber for row in page.rows), at)
    return fit_lines([*lines, f"-# {' · '.join(footer)}", *([signs] if signs else [])])


def _row_text(locale: Language, row: LadderRow, at: int) -> str:
    climber = row.climber
    return text(
        locale,
        "ladder.row",
        place=row.place,
        rung=climber.rung,
        player=mention_user(climber.user, locale),
        rating=rating_number(row.rating, at),
        score=score_text(climber.wins, climber.draws, climber.losses),
        marks=climber_signs(climber, at),
    ).rstrip()


@draws_sheets(LADDER_HISTORY_SHEET)
async def show_ladder_history(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns what has happened to a person on one ladder, latest first, with the other ladders as buttons.

    A hidden profile hides this page too. The standings show everybody, since challenges depend on them.
    """
    caller = Caller(interaction)
    await require_public_profiles(interaction, request.user)
    locale, guild, reader = caller.locale, caller.guild, caller.service.reader
    climbed = [key for key in VARIANTS if await climber_history(reader, LadderId(guild, key), request.user)]
    if request.variant == ANY_VARIANT:
        request = request._replace(variant=climbed[0] if climbed else next(iter(VARIANTS)))
    rows = await climber_history(reader, LadderId(guild, request.variant), request.user, request.page)
    if not rows:
        name = text(locale, f"variant.{request.variant}")
        raise Declined("ladder.no-history", player=mention_user(request.user, locale), variant=name)
    pages = request.page + (2 if len(rows) > HISTORY_ROWS else 1)
    buttons = [*page_buttons(locale, request, pages), *variant_buttons(locale, request, climbed)]
    return SheetContent(history_text(locale, request.variant, request.user, rows[:HISTORY_ROWS]), buttons)


@draws_sheets(LADDER_RULES_SHEET)
async def show_ladder_rules(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of the rules of this server's ladders."""
    caller = Caller(interaction)
    pages = rules_pages(caller.locale)
    request = request._replace(page=min(request.page, len(pages) - 1))
    return SheetContent(pages[request.page], page_buttons(caller.locale, request, len(pages)))


def history_text(locale: Language, variant: str, user: int, rows: Sequence[LadderHistoryRow]) -> str:
    """Returns the rows of a person's history in words, one to a line."""
    name, player = text(locale, f"variant.{variant}"), mention_user(user, locale)
    title = text(locale, "ladder.history", variant=name, player=player)
    return fit_lines([title, *(_history_line(locale, user, row) for row in rows)])


def _history_line(locale: Language, user: int, row: LadderHistoryRow) -> str:
    """Returns a row as a line: the time, the entry, and the change of rung if there was one."""
    line = f"- <t:{row.entry.at}:d> {_entry_text(locale, user, row)}"
    if row.rung_before is not None and row.rung_before != row.rung:
        line += " " + text(locale, "ladder.past.rung", before=row.rung_before, after=row.rung)
    return line


def _entry_text(locale: Language, user: int, row: LadderHistoryRow) -> str:
    entry = row.entry
    key = f"ladder.past.{entry.kind.name.lower().replace('_', '-')}"
    match entry.kind:
        case EntryKind.FINISHED:
            result = parse_score(entry.body)
            groups = (("won", result.won), ("drew", result.drew), ("late", result.late), ("lost", result.lost))
            fate = next((name for name, users in groups if user in users), "none")
            return text(locale, f"{key}-{fate}", id=entry.matches[0])
        case EntryKind.QUEUED if entry.body == TRIAD_BODY:
            return text(locale, f"{key}-triad")
        case EntryKind.LAPSED if entry.body == EXCUSED_BODY:
            key += "-excused"
    values: dict[str, object] = {"games": join_list(locale, [f"#{match_id}" for match_id in entry.matches] or ["–"])}
    if entry.kind in _CHALLENGE_KINDS:
        values["challenger"], values["challenged"] = mention_users(locale, entry.users)
    elif entry.users:
        values["players"] = join_list(locale, mention_users(locale, entry.users))
    return text(locale, key, **values)


_CHALLENGE_KINDS = (EntryKind.CHALLENGED, EntryKind.ACCEPTED, EntryKind.REFUSED, EntryKind.LAPSED)

"""The sheets of a ladder: the standings, a person's history, and the rules."""

from __future__ import annotations

from bot.core.results import PAGE_ROWS
from bot.discordkit.components import Button
from bot.discordkit.errors import Declined
from bot.discordkit.paging import page_of
from bot.discordkit.reply import Interaction, fit_lines
from bot.ladder.rows import LadderStory, climber_history, ladders_climbed
from bot.ladder.service import load_standings
from bot.ladder.state import EXCUSED_BODY, HISTORY_ROWS, EntryKind, LadderEntry, LadderId, Standings, parse_score
from bot.ladder.words import climber_signs, rules_pages, signs_legend
from bot.play.caller import caller_of
from bot.play.info_commands import require_public_profiles
from bot.play.options import require_known_variant
from bot.play.sheets import ANY_VARIANT, OPEN_BUTTONS, Sheet, SheetContent, draws_sheets, page_buttons, variant_buttons
from bot.texts.i18n import Language, join_list, plural_text, text
from bot.texts.people import mention_user, mention_users, rating_number, score_text
from rules import VARIANTS

STAIRS_SHEET, LADDER_HISTORY_SHEET, LADDER_RULES_SHEET = "stairs", "climbing", "ladder-rules"


@draws_sheets(STAIRS_SHEET)
async def show_stairs(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of a ladder's standings, with the other ladders as buttons."""
    require_known_variant(request.variant)  # other sheets also accept "all variants"
    caller = caller_of(interaction)
    ladder_id = LadderId(caller.guild, request.variant)
    standings = await load_standings(caller.service, ladder_id, caller.now)
    page = page_of(standings.rows, request.page, PAGE_ROWS)
    locale, rules = caller.locale, Sheet(LADDER_RULES_SHEET)
    buttons = [
        *page_buttons(locale, request._replace(page=page.number), page.pages),
        *variant_buttons(locale, request, list(VARIANTS)),
        OPEN_BUTTONS.make_button("", rules, text(locale, "button.rules")),
        *([history_button(locale, caller.user)] if standings.place_of(caller.user) else ()),
    ]
    return SheetContent(stairs_text(locale, request, standings, caller.user, caller.now), buttons)


def history_button(locale: Language, user: int) -> Button:
    """Returns the button that shows what has happened to that user on the ladders."""
    history = Sheet(LADDER_HISTORY_SHEET, ANY_VARIANT, user)
    return OPEN_BUTTONS.make_button("", history, text(locale, "button.ladder-history"))


def stairs_text(locale: Language, request: Sheet, standings: Standings, user: int, at: int) -> str:
    """Returns the page of the standings in words, with that user's place."""
    season, page = standings.season, page_of(standings.rows, request.page, PAGE_ROWS)
    lines = [text(locale, "ladder.title", variant=text(locale, f"variant.{request.variant}"))]
    if season:
        lines[0] += " · " + text(locale, "ladder.season", number=season.number, until=f"<t:{season.until}:R>")
    if not page.items:
        return "\n".join([*lines, text(locale, "ladder.empty")])
    for rank, (climber, rating) in enumerate(page.items, page.first + 1):
        row = text(
            locale,
            "ladder.row",
            place=rank,
            rung=climber.rung,
            player=mention_user(climber.user, locale),
            rating=rating_number(locale, rating, at),
            score=score_text(climber.wins, climber.draws, climber.losses),
            marks=climber_signs(climber, at),
        )
        lines.append(row.rstrip())
    footer = [plural_text(locale, "ladder.climbers", len(standings.rows))]
    if page.pages > 1:
        footer.append(text(locale, "sheet.page", page=page.number + 1, pages=page.pages))
    if own := standings.place_of(user):
        footer.append(text(locale, "sheet.own", place=own))
    signs = signs_legend(locale, (climber for climber, _ in page.items), at)
    return fit_lines([*lines, f"-# {' · '.join(footer)}", *([signs] if signs else [])])


@draws_sheets(LADDER_HISTORY_SHEET)
async def show_ladder_history(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns what has happened to a person on one ladder, latest first, with the other ladders as buttons.

    A hidden profile hides this page too. The standings show everybody, since challenges depend on them.
    """
    caller = caller_of(interaction)
    await require_public_profiles(interaction, request.subject)
    locale, guild, reader = caller.locale, caller.guild, caller.service.reader
    ladder_ids = await ladders_climbed(reader, request.subject)
    climbed = [key for key in VARIANTS if LadderId(guild, key) in ladder_ids]
    if request.variant == ANY_VARIANT:
        request = request._replace(variant=climbed[0] if climbed else next(iter(VARIANTS)))
    rows = await climber_history(reader, LadderId(guild, request.variant), request.subject)
    if not rows:
        name = text(locale, f"variant.{request.variant}")
        raise Declined("ladder.no-history", player=mention_user(request.subject, locale), variant=name)
    page = page_of(rows, request.page, HISTORY_ROWS)
    request = request._replace(page=page.number)
    buttons = [*page_buttons(locale, request, page.pages), *variant_buttons(locale, request, climbed)]
    return SheetContent(history_text(locale, request.variant, request.subject, page.items), buttons)


@draws_sheets(LADDER_RULES_SHEET)
async def show_ladder_rules(interaction: Interaction, request: Sheet) -> SheetContent:
    """Returns a page of the rules of this server's ladders."""
    caller = caller_of(interaction)
    pages = rules_pages(caller.locale)
    request = request._replace(page=min(request.page, len(pages) - 1))
    return SheetContent(pages[request.page], page_buttons(caller.locale, request, len(pages)))


def history_text(locale: Language, variant: str, user: int, rows: LadderStory) -> str:
    """Returns the rows of a person's history in words, one to a line."""
    name, player = text(locale, f"variant.{variant}"), mention_user(user, locale)
    title = text(locale, "ladder.history", variant=name, player=player)
    return fit_lines([title, *(_history_line(locale, user, entry, *rungs[user]) for entry, rungs in rows)])


def _history_line(locale: Language, user: int, entry: LadderEntry, before: int | None, after: int) -> str:
    """Returns an entry as a line: the time, what happened, and the change of the user's rung if there was one."""
    line = f"- <t:{entry.at}:d> {_entry_text(locale, user, entry)}"
    if before not in (None, after):
        line += " " + text(locale, "ladder.past.rung", before=before, after=after)
    return line


def _entry_text(locale: Language, user: int, entry: LadderEntry) -> str:
    key = f"ladder.past.{entry.kind.name.lower().replace('_', '-')}"
    match entry.kind:
        case EntryKind.FINISHED:
            result = parse_score(entry.body)
            groups = (("won", result.won), ("drew", result.drew), ("late", result.late), ("lost", result.lost))
            fate = next((name for name, users in groups if user in users), "none")
            return text(locale, f"{key}-{fate}", id=entry.matches[0])
        case EntryKind.LAPSED if entry.body == EXCUSED_BODY:
            key += "-excused"
    people = mention_users(locale, entry.users)
    challenger, challenged, *_ = [*people, "", ""]
    games = join_list(locale, [f"#{match_id}" for match_id in entry.matches] or ["–"])
    values = {"players": join_list(locale, people), "challenger": challenger, "challenged": challenged, "games": games}
    return text(locale, key, **values)

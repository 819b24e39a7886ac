"""`/board`, `/games`, `/game history`, `/learn rules` and `/help`: what people look at."""

from __future__ import annotations

import discord
from discord import app_commands
from discord.ext import commands

from bot.commands.app import Asker, app, drawn, require_calm, take_turn
from bot.commands.board import matches_at, show_board
from bot.commands.history import GAMES, boards_button
from bot.commands.options import (
    VARIANT_CHOICES,
    known,
    sees,
    started,
    suggest_all_games,
    suggest_cells,
    the_game,
    the_match,
)
from bot.commands.profile import PROFILE
from bot.commands.server_settings import house_rules_button
from bot.kit.components import ACTIONS, Action, button, on, row
from bot.kit.reply import Interaction, answer, attachment, in_time, now, reader, update
from bot.kit.sheets import ANY, OPENING, Sheet, Shown, leaves, open_sheet, sheet, show_sheet
from bot.kit.slash import command, user_menu
from bot.posting.people import record_of
from bot.posting.seeking import seek_button
from bot.texts.i18n import join, linked, text
from bot.texts.ladder import RULES
from bot.texts.profiles import games_text
from bot.texts.rulebook import rulebook
from bot.texts.sentences import variant_name
from rules import VARIANTS

LONGEST_QUOTED = 1200
"""Characters of a record that a private answer quotes; a longer one is in its file only."""

HELP = "help"
HELP_PAGES = ("help.text", "help.game", "help.community", "help.rest", "help.moved")
MOVED = {
    "resign": "game resign",
    "draw offer": "game draw",
    "draw claim": "game claim-draw",
    "takeback": "game takeback",
    "why": "game why",
    "moves": "game moves",
    "history": "game history",
    "replay": "game replay",
    "export": "game export",
    "follow": "game follow",
    "unfollow": "game unfollow",
    "claim": "game claim",
    "give-time": "game give-time",
    "nudge": "game nudge",
    "profile": "ladder profile",
    "leaderboard": "ladder leaderboard",
    "compare": "ladder compare",
    "settings me": "me settings",
    "vacation start": "me vacation start",
    "vacation stop": "me vacation stop",
    "privacy": "me privacy",
    "data export": "me data export",
    "data delete": "me data delete",
    "learn": "learn lessons",
    "rules": "learn rules",
    "settings server": "server settings",
}
"""What commands used to be called, and what they are called now."""


class InfoCommands(commands.Cog):
    """Boards, lists, records and rules."""

    @command("board")
    @app_commands.rename(as_text="text")
    @app_commands.autocomplete(game=suggest_all_games, zoom=suggest_cells)
    async def board(
        self,
        interaction: Interaction,
        game: str | None = None,
        ply: app_commands.Range[int, 0, 100_000] | None = None,
        public: bool = False,
        as_text: bool | None = None,
        zoom: str | None = None,
    ) -> None:
        """Show the board as it is, or as it was after that many moves; all of it, or what is around a cell."""
        match, before = await matches_at(interaction, await the_game(interaction, game, "any"), ply)
        started(match)
        cell = match.variant.board.cell(zoom.strip()) if zoom else None
        await take_turn(interaction)
        if public:
            require_calm(interaction, "board")
        # Not before everything is found: what is wrong is said to the asker alone, also where the board is for all.
        await interaction.response.defer(ephemeral=not public, thinking=True)
        await show_board(interaction, match, before=before, public=public, as_text=as_text, zoom=cell)

    @command("games")
    async def games(self, interaction: Interaction, player: discord.User | None = None) -> None:
        """List somebody's games, in direct messages of all servers; another's only where the reader may look."""
        asker, user = Asker(interaction), (player or interaction.user).id
        found = await asker.service.games_of(asker.here, user)
        if user != asker.user:
            found = [game for game in found if sees(interaction, game)]
        said, view = games_text(asker.locale, user, asker.user, found, now()), None
        if asker.here is not None and user == asker.user:
            looking = await asker.service.seekers.is_looking(asker.here, user)
            view = row(seek_button(asker.locale, looking=looking))
        await answer(interaction, said, view=view)

    @command("game history")
    @app_commands.choices(variant=VARIANT_CHOICES)
    @app_commands.autocomplete(game=suggest_all_games)
    async def history(
        self,
        interaction: Interaction,
        game: str | None = None,
        player: discord.User | None = None,
        variant: str | None = None,
        opponent: discord.User | None = None,
    ) -> None:
        """List somebody's finished games; or show the record of one game, with its boards and as a file."""
        if game is None and (player or variant or opponent):
            whose, other = (player or interaction.user).id, opponent.id if opponent else 0
            await open_sheet(interaction, Sheet(GAMES, variant or ANY, whose, other))
            return
        await interaction.response.defer(ephemeral=True, thinking=True)
        await take_turn(interaction)
        match, locale = await the_match(interaction, game, "any"), reader(interaction)
        played = started(match)
        record = await record_of(app(interaction).names, app(interaction).service, match)
        title = text(locale, "history.title", variant=variant_name(locale, match.variant), id=match.id)
        if not played.moves and not match.undone:
            body = text(locale, "history.empty")
        elif len(record) > LONGEST_QUOTED:
            body = text(locale, "history.long")
        else:
            body = f"```\n{record.rstrip()}\n```"
        file = attachment(record.encode(), f"game-{match.id}.txt")
        await answer(interaction, f"{title}\n{body}", files=[file], view=row(boards_button(locale, match)))

    @command("learn rules")
    @app_commands.choices(variant=VARIANT_CHOICES)
    async def rules(self, interaction: Interaction, variant: str) -> None:
        """Open the rulebook at its first page."""
        await interaction.response.defer(ephemeral=True, thinking=True)
        await _open_book(interaction, variant)

    @command("help")
    async def help(self, interaction: Interaction) -> None:
        """Say how to start and how to move."""
        # Nothing has to be looked up for it, so that it is there at once, without a "thinking…" before it.
        await show_sheet(interaction, await help_page(interaction, Sheet(HELP)))


@user_menu("games")
async def show_person(interaction: Interaction, user: discord.User) -> None:
    """List somebody's games, with the ways to their profile and to what they have finished."""
    asker = Asker(interaction)
    found = await asker.service.games_of(asker.guild, user.id)
    if user.id != asker.user:
        found = [game for game in found if sees(interaction, game)]
    ways = [
        OPENING.button("", Sheet(PROFILE, ANY, user.id), text(asker.locale, "button.profile")),
        OPENING.button("", Sheet(GAMES, ANY, user.id), text(asker.locale, "button.finished")),
    ]
    await answer(interaction, games_text(asker.locale, user.id, asker.user, found, now()), view=row(*ways))


@sheet(HELP)
async def help_page(interaction: Interaction, wanted: Sheet) -> Shown:
    """A page of the help, with the rulebooks as buttons below."""
    locale = reader(interaction)
    wanted = wanted._replace(page=min(wanted.page, len(HELP_PAGES) - 1))
    names = {key: variant_name(locale, variant) for key, variant in VARIANTS.items()}
    books = [ACTIONS.button("rules", Action(variant=key), name) for key, name in names.items()]
    turning = leaves(locale, wanted, len(HELP_PAGES))
    moved = "\n".join(text(locale, "help.was", old=f"/{old}", new=linked(f"`/{new}`")) for old, new in MOVED.items())
    said = text(locale, HELP_PAGES[wanted.page], games=join(locale, names.values()), moved=moved, **RULES)
    return Shown(said, [*turning, *books, *house_rules_button(interaction)])


@on("rules")
async def open_rules(interaction: Interaction, action: Action) -> None:
    """Open a rulebook from a button below a turn: a new private message."""
    await interaction.response.defer(ephemeral=True, thinking=True)
    await _open_book(interaction, action.variant)


@on("page")
async def turn_page(interaction: Interaction, action: Action) -> None:
    """Turn to another page of the rulebook that is open."""
    content, files, view = await in_time(interaction, _page(interaction, action.variant, action.number))
    await update(interaction, content, view=view, files=files)


async def _open_book(interaction: Interaction, variant: str) -> None:
    content, files, view = await _page(interaction, variant, 0)
    await answer(interaction, content, files=files, view=view)


async def _page(interaction: Interaction, variant: str, number: int) -> tuple[str, list[discord.File], discord.ui.View]:
    """A page of a rulebook with its picture, and the buttons to the pages around it."""
    locale = reader(interaction)
    pages = rulebook(locale, known(variant))
    number = min(number, len(pages) - 1)
    page = pages[number]
    files = []
    if page.illustration:
        shown, preferences = page.illustration, await Asker(interaction).preferences()
        files = [await drawn(interaction, shown.view, preferences, f"{variant}-{number + 1}", shown.words)]
    buttons = []
    if number > 0:
        buttons.append(button(locale, "page", label="back", number=number - 1, variant=variant))
    if number + 1 < len(pages):
        buttons.append(button(locale, "page", label="next", primary=True, number=number + 1, variant=variant))
    buttons += house_rules_button(interaction) if number == 0 else []
    foot = text(locale, "rules.page", page=number + 1, pages=len(pages))
    return f"{linked(page.text)}\n-# {foot}", files, row(*buttons)

"""**Block** in the menu on people's names, and the list of the people whom somebody has blocked."""

from __future__ import annotations

from typing import NamedTuple

import discord

from bot.core.problems import MatchError, Problem
from bot.discordkit.components import Button, Family, UserField
from bot.discordkit.paging import page_of
from bot.discordkit.reply import Interaction, Row, RowList, make_view, send_answer, think_beside
from bot.discordkit.slash import user_menu
from bot.play.caller import Caller, check_pace
from bot.play.service.people import block_person, unblock_person
from bot.play.sheets import OPEN_BUTTONS, Sheet, draws_sheets, page_buttons, turn_to_sheet
from bot.store.people import people_blocked_by
from bot.texts.i18n import Language, text
from bot.texts.people import mention_user

BLOCKED_SHEET = "blocked"
BLOCKED_ON_PAGE = 10


class BlockState(NamedTuple):
    """The person who is blocked."""

    user: UserField


BLOCK_BUTTONS = Family("rt-block", BlockState)


@user_menu("block")
async def block_by_menu(interaction: Interaction, user: discord.User) -> None:
    """Blocks the person, who is not told."""
    caller = Caller(interaction)
    if user.id == caller.user:
        raise MatchError(Problem.BLOCKED_SELF)
    check_pace(interaction, "blocks")
    await think_beside(interaction)
    await block_person(caller.service, caller.user, user.id)
    sentence = text(caller.locale, "block.done", player=mention_user(user.id, caller.locale))
    await send_answer(interaction, sentence, view=make_view(_unblock_button(caller.locale, user.id)))


@BLOCK_BUTTONS.register_handler("off")
async def unblock_by_button(interaction: Interaction, state: BlockState) -> None:
    """Unblocks the person, and shows who is left in the list."""
    caller = Caller(interaction)
    await unblock_person(caller.service, caller.user, state.user)
    await turn_to_sheet(interaction, Sheet(BLOCKED_SHEET))


@draws_sheets(BLOCKED_SHEET)
async def show_blocked(interaction: Interaction, request: Sheet) -> RowList:
    """Returns a page of the people whom the reader has blocked, each with a button to unblock them."""
    caller = Caller(interaction)
    locale, blocked = caller.locale, await people_blocked_by(caller.service.reader, caller.user)
    page = page_of(blocked, request.page, BLOCKED_ON_PAGE)
    rows = [Row(mention_user(user, locale), _unblock_button(locale, user)) for user in page.items]
    buttons = page_buttons(locale, request._replace(page=page.number), page.pages)
    return RowList(text(locale, "block.title" if rows else "block.nobody"), rows, page.footer(locale), buttons)


def blocked_button(locale: Language) -> Button:
    """Returns the button that opens the list."""
    return OPEN_BUTTONS.make_button("", Sheet(BLOCKED_SHEET), text(locale, "button.blocked"))


def _unblock_button(locale: Language, user: int) -> Button:
    return BLOCK_BUTTONS.make_button("off", BlockState(user), text(locale, "button.unblock"))

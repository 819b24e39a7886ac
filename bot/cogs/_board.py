"""A private (or shared) look at a game's board."""

from __future__ import annotations

from bot.cogs._reply import NOBODY, Press, answer, picture, reader, server
from bot.i18n import text
from bot.match import Match
from bot.words import alt_text, colour, ending, variant_name, when
from render import View


async def show_board(
    interaction: Press, match: Match, remark: str = "", *, before: Match | None = None, public: bool = False
) -> None:
    """Answer with the board as it is in `match`, turned to the viewer's side if he plays in it.

    `before` is the match one ply earlier, whose last move is then drawn as its path.
    """
    game = match.game
    assert game is not None
    locale = server(interaction) if public else reader(interaction)
    position = game.position
    seat = match.seat_of(interaction.user.id)
    earlier = before.game.position if before and before.game else None
    move = game.moves[-1] if earlier and game.moves else None
    over = game.outcome is not None
    view = View(position, position.turn if seat is None else seat, move, earlier, to_move=not over)
    words = alt_text(locale, match.id, match.ply, position, over=over, before=earlier, move=move)
    if game.outcome:
        winner = colour(locale, match.variant, game.outcome.winners[0]) if match.winners else ""
        key = ("board.won" if winner else "board.draw") if match.has_result else "board.no-result"
        result = text(locale, key, winner=winner)
        turn = f"{result} {ending(locale, position, game.outcome)}"
    else:
        turn = text(locale, "alt.to-move", colour=colour(locale, match.variant, position.turn))
    caption = text(
        locale,
        "board.caption",
        variant=variant_name(locale, match.variant),
        id=match.id,
        when=when(locale, match.ply),
        turn=turn,
    )
    png = await interaction.client.pictures.draw(view)
    file = picture(png, f"game-{match.id}-{match.ply}", words)
    content = f"{remark}\n{caption}".strip()
    if public:
        await interaction.edit_original_response(content=content, attachments=[file], allowed_mentions=NOBODY)
    else:
        await answer(interaction, content, files=[file])

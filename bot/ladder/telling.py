"""The words for each piece of ladder news, and the people that it mentions. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from bot.ladder.display import LadderNews, PendingChallenge
from bot.ladder.entries import EXCUSED_BODY, EntryKind
from bot.ladder.words import LADDER_RULE_VALUES, step_change_text
from bot.play.announcing.telling.notice import Notice
from bot.play.shared_components import action_button
from bot.texts.i18n import Language, join_list, text
from bot.texts.markup import relative_time
from bot.texts.mentions import mention_user, mention_users

MEDALS = ("🥇", "🥈", "🥉")


class _LadderTelling(NamedTuple):
    """The context in which a piece of ladder news is put into words."""

    locale: Language
    news: LadderNews

    def sentence(self, key: str, **values: object) -> str:
        """Returns the sentence filled with `values`, the variant, the first two people and the numbers of the rules."""
        news = self.news
        first_user, second_user, *_ = [*mention_users(self.locale, news.entry.users), "", ""]
        common = {"variant": text(self.locale, f"variant.{news.variant}"), "key": news.variant}
        return text(
            self.locale,
            key,
            **{**LADDER_RULE_VALUES, **common, "challenger": first_user, "challenged": second_user, **values},
        )

    def step_before(self, user: int) -> int:
        """Returns the person's rung before the entry changed it."""
        before, after = self.news.steps.get(user, (None, 0))
        return after if before is None else before


def challenge_notice(locale: Language, news: LadderNews, waiting: PendingChallenge) -> Notice:
    """Returns the notice of a challenge that waits for its answer, with its buttons. The button that refuses says
    whether that costs a rung.
    """
    telling, (challenger, challenged) = _LadderTelling(locale, news), news.entry.users
    steps = {"own": telling.step_before(challenger), "other": telling.step_before(challenged)}
    sentence = telling.sentence("ladder.told.challenged", **steps, until=relative_time(waiting.challenge.lapses_at))
    cost = telling.sentence("ladder.told.costs" if waiting.costs else "ladder.told.free")
    entry_seq, variant = news.entry.seq, news.variant
    label = "ladder-refuse-costs" if waiting.costs else "ladder-refuse"
    accept = action_button(locale, "ladder-accept", primary=True, number=entry_seq, variant=variant)
    refuse = action_button(
        locale, "ladder-refuse", label=label, danger=waiting.costs, number=entry_seq, variant=variant
    )
    return Notice(f"{sentence}\n-# {cost}", (accept, refuse), (challenged,))


def other_notice(locale: Language, news: LadderNews) -> Notice:
    """Returns the notice for any other news: an answer other than an acceptance, a pairing, a season."""
    return _LADDER_TELLERS[news.entry.kind](_LadderTelling(locale, news))


def _tell_refused(telling: _LadderTelling) -> Notice:
    return _tell_unanswered(telling, "ladder.told.refused", telling.news.entry.users[:1])


def _tell_lapsed(telling: _LadderTelling) -> Notice:
    excused = telling.news.entry.body == EXCUSED_BODY
    return _tell_unanswered(
        telling, "ladder.told.lapsed-excused" if excused else "ladder.told.lapsed", telling.news.entry.users
    )


def _tell_unanswered(telling: _LadderTelling, key: str, ping: tuple[int, ...]) -> Notice:
    sentence, challenged = telling.sentence(key), telling.news.entry.users[1]
    before, after = telling.news.steps.get(challenged, (None, 0))
    if before is not None and before != after:
        sentence += " " + telling.sentence(
            "ladder.told.paid", step=step_change_text(telling.locale, challenged, before, after)
        )
    return Notice(sentence, ping=ping)


def _tell_paired(telling: _LadderTelling) -> Notice:
    entry = telling.news.entry
    players = join_list(telling.locale, mention_users(telling.locale, entry.users))
    games = join_list(telling.locale, [f"#{match}" for match in entry.matches])
    key = "ladder.told.triad" if len(entry.matches) > 1 else "ladder.told.paired"
    return Notice(telling.sentence(key, players=players, games=games))


def _tell_season_started(telling: _LadderTelling) -> Notice:
    number, until = map(int, telling.news.entry.body.split())
    return Notice(
        telling.sentence(
            "ladder.told.season-started", number=number, until=f"<t:{until}:D>", again=relative_time(until)
        )
    )


def _tell_season_ended(telling: _LadderTelling) -> Notice:
    best = telling.news.entry.users
    podium = [
        telling.sentence(
            "ladder.told.podium", medal=medal, player=mention_user(user, telling.locale), step=telling.step_before(user)
        )
        for medal, user in zip(MEDALS, best, strict=False)
    ]
    lines = [
        telling.sentence("ladder.told.season-ended", number=telling.news.entry.body),
        *(podium or [telling.sentence("ladder.told.no-podium")]),
        telling.sentence("ladder.told.halved"),
    ]
    return Notice("\n".join(lines), ping=best)


_LADDER_TELLERS: Mapping[EntryKind, Callable[[_LadderTelling], Notice]] = {
    EntryKind.REFUSED: _tell_refused,
    EntryKind.LAPSED: _tell_lapsed,
    EntryKind.PAIRED: _tell_paired,
    EntryKind.SEASON_STARTED: _tell_season_started,
    EntryKind.SEASON_ENDED: _tell_season_ended,
}

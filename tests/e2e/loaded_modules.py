"""The modules of the program and what each of its lives works out first, for a process from which others are forked."""

import gc

import bot.client  # noqa: F401 - the modules of the program
from bot.store.migrations import _expected_entries, migration_scripts
from bot.texts.i18n import LANGUAGES, load_catalogue
from render import run_steps, warm_caches
from rules import VARIANTS

_expected_entries(migration_scripts())
for language in LANGUAGES:
    load_catalogue(language)
for variant in VARIANTS.values():
    for seat in variant.seats:
        run_steps(warm_caches(variant, seat))
gc.freeze()  # else a collection would write into every page, and each process would copy them

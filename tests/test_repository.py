"""Rules for the whole repository: who may import whom, and that the documentation agrees with the program."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import import_module

import pytest
from discord.app_commands import ContextMenu, Group
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from bot.__main__ import main as bot_main
from bot.discordkit.permissions import INVITED_WITH
from bot.features import FEATURES, PLAY
from bot.play.context import every_command
from bot.texts.i18n import LANGUAGES, load_catalogue
from tests.repository import ROOT, imports, modules, read, tracked

PACKAGES = ("rules", "render", "engine", "bot", "sandbox")
LONGEST_FILE = 800
LONGEST_TEST_NAME = 12  # words
LONGEST_INTRODUCTION = 50
"""The most lines of the README before "Development": a screen and a half."""

RUN = "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e . && .venv/bin/python -m bot"
TEST = (
    "python3 -m venv .venv && .venv/bin/pip install -q -c constraints.txt -e '.[dev]'"
    " && .venv/bin/python -m pytest -q -n 4 --dist loadfile"
)

# Which of our own packages, and which others outside the standard library, a package may import.
MAY_IMPORT = {
    "rules": {"rules"},
    "render": {"render", "rules", "PIL"},
    "engine": {"engine", "rules"},
    "bot": {
        "bot",
        "sandbox",
        "engine",
        "render",
        "rules",
        "discord",
        "aiohttp",
        "aiosqlite",
        "asyncpg",
        "babel",
        "cachetools",
        "filelock",
        "dotenv",
        "openskill",
        "prometheus_client",
        "structlog",
    },
    "sandbox": {"sandbox", "discord", "aiohttp", "yarl"},
}
DISTRIBUTIONS = {"PIL": "pillow", "discord": "discord-py", "dotenv": "python-dotenv", "yarl": "aiohttp"}
"""What to declare in order to import a package; yarl is how aiohttp writes addresses."""


def rule_for(path: str) -> set[str]:
    """What the module at that path may import: the entry of the innermost folder that has one."""
    folders = [folder for folder in MAY_IMPORT if path.startswith(folder + "/")]
    return MAY_IMPORT[max(folders, key=len)]


@pytest.mark.parametrize("package", PACKAGES)
def test_every_package_imports_only_what_the_architecture_allows(package: str) -> None:
    wrong = [
        f"{path} imports {name}"
        for path, tree in modules(package)
        for name in imports(tree, path)
        if name.split(".")[0] not in sys.stdlib_module_names
        and not any(name == allowed or name.startswith(allowed + ".") for allowed in rule_for(path))
    ]
    assert not wrong


def test_five_modules_at_most_know_that_another_process_may_play() -> None:
    known = re.compile(r"standby|stand_by|_lease\b")
    names = {
        path: [
            node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute | ast.arg | ast.FunctionDef)
        ]
        for path, tree in modules("bot")
    }
    knowing = {path for path, nodes in names.items() if any(known.search(_name_of(node)) for node in nodes)}
    assert "bot/store/postgresql.py" in knowing
    assert len(knowing) <= 5, knowing


def _name_of(node: ast.AST) -> str:
    return next(str(getattr(node, field)) for field in ("id", "attr", "arg", "name") if hasattr(node, field))


def test_no_word_of_sql_stands_above_the_store() -> None:
    statement = re.compile(r"(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|VACUUM|CREATE|BEGIN|COMMIT)\b[^.]*$")
    said = [
        f"{path}: {node.value}"
        for path, tree in modules("bot")
        if not path.startswith("bot/store/") and not path.endswith(("rows.py", "/service.py"))
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and statement.match(node.value)
    ]
    assert not said


def requirements(*extras: str) -> dict[str, Requirement]:
    """The declared dependencies, by canonical name."""
    project = tomllib.loads(read("pyproject.toml"))["project"]
    lines = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {canonicalize_name((requirement := Requirement(line)).name): requirement for line in lines}


def test_what_is_imported_is_declared() -> None:
    outside = {name for names in MAY_IMPORT.values() for name in names if name.split(".")[0] not in PACKAGES}
    missing = {canonicalize_name(DISTRIBUTIONS.get(name, name)) for name in outside} - requirements(
        "metrics", "postgres"
    ).keys()
    assert not missing


def locked(path: str) -> dict[str, str]:
    """The versions that a lock file names, by canonical name."""
    assert "://" not in read(path)  # which registry to use is the reader's business
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s;]+)", read(path), re.MULTILINE))


def test_every_dependency_is_locked_at_a_version_it_allows() -> None:
    versions = locked("constraints.txt")
    for name, requirement in requirements("dev").items():
        assert requirement.specifier.contains(versions[name]), name


def test_the_image_has_the_same_versions_each_with_its_hashes() -> None:
    versions, project = locked("requirements.txt"), tomllib.loads(read("pyproject.toml"))
    assert project["build-system"]["requires"] == project["dependency-groups"]["build"]
    assert project["build-system"]["requires"] == [f"setuptools=={versions.pop('setuptools')}"]
    assert requirements("metrics", "postgres").keys() <= versions.keys()
    assert versions.items() <= locked("constraints.txt").items()
    pins = re.split(r"^(?=[a-z0-9])", read("requirements.txt"), flags=re.MULTILINE)[1:]
    assert not [pin for pin in pins if "--hash=sha256:" not in pin]


def test_a_built_wheel_carries_every_file_of_the_packages() -> None:
    patterns = tomllib.loads(read("pyproject.toml"))["tool"]["setuptools"]["package-data"]
    carried = {path for package, globs in patterns.items() for glob in globs for path in (ROOT / package).glob(glob)}
    needed = [path for path in tracked() if path.suffix != ".py" and path.relative_to(ROOT).parts[0] in PACKAGES]
    assert not [path.relative_to(ROOT).as_posix() for path in needed if path not in carried]
    # Each folder with modules must be a package, or it is left out.
    folders = {
        path.parent for path in tracked() if path.suffix == ".py" and path.relative_to(ROOT).parts[0] in PACKAGES
    }
    assert not [folder.relative_to(ROOT).as_posix() for folder in folders if not (folder / "__init__.py").exists()]


def test_the_installed_command_is_the_module_and_ci_tries_it() -> None:
    scripts = tomllib.loads(read("pyproject.toml"))["project"]["scripts"]
    module, _, function = scripts["round-table"].partition(":")
    assert getattr(import_module(module), function) is bot_main
    assert 'try_start.py "$image/venv/bin/round-table"' in read(".ci/run")


def test_no_source_file_is_longer_than_800_lines() -> None:
    sources = [path for path in tracked() if path.suffix in {".py", ".js", ".css", ".html", ".sql"}]
    counts = {path.relative_to(ROOT).as_posix(): len(path.read_text("utf-8").splitlines()) for path in sources}
    assert not {path: count for path, count in counts.items() if count > LONGEST_FILE}


def test_no_test_name_is_longer_than_twelve_words() -> None:
    names = {
        f"{path}: {node.name}": len(re.findall(r"[^_]+", node.name.removeprefix("test_")))
        for path, tree in modules("tests")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    }
    assert names
    assert not {name: words for name, words in names.items() if words > LONGEST_TEST_NAME}


def test_no_test_module_imports_another() -> None:
    wrong = [
        f"{path} imports {name}; what they share belongs in a module of helpers"
        for path, tree in modules("tests")
        for name in imports(tree, path)
        if name.startswith("tests.") and any(part.startswith("test_") for part in name.split(".")[1:])
    ]
    assert not wrong


def settings_read() -> dict[str, str]:
    """Every setting that the program reads, with its default: `read(NAME, parser, default)` in bot/config.py."""
    calls = [node for node in ast.walk(ast.parse(read("bot/config.py"))) if isinstance(node, ast.Call)]
    asked = [call.args for call in calls if ast.unparse(call.func) == "read"]
    return {ast.literal_eval(name): ast.literal_eval(default[0]) if default else "" for name, _, *default in asked}


def test_the_example_settings_are_those_that_are_read_with_their_defaults() -> None:
    assert settings_read()
    assert dict(re.findall(r"^#([A-Z_]+)=(.*)$", read(".env.example"), re.MULTILINE)) == settings_read()


def test_the_papers_list_every_setting_with_its_default() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (?:–|`(.*?)`) \|", read("docs/hosting.md"), re.MULTILINE)
    assert dict(rows) == settings_read()


def test_the_readme_gives_the_run_command_and_the_test_command() -> None:
    lines = read("README.md").splitlines()
    assert lines.count(RUN) == 1
    assert lines.count(TEST) == 1


def test_the_readme_is_short_and_asks_for_no_address_of_the_repository() -> None:
    readme, contributing = read("README.md"), read("CONTRIBUTING.md")
    assert len(readme.partition("## Development")[0].splitlines()) <= LONGEST_INTRODUCTION
    assert "git clone" not in readme + contributing


def test_ci_runs_the_test_command_of_the_readme() -> None:
    script = read(".ci/run")
    found = re.search(r"grep -m 1 -E '(?P<pattern>.+)' README\.md", script)
    assert found, "the script reads the command from the README"
    assert [line for line in read("README.md").splitlines() if re.search(found["pattern"], line)] == [TEST]
    assert (ROOT / ".ci/run").stat().st_mode & 0o111, "the script is executable"
    for check in ("ruff format --check", "ruff check", "mypy --strict"):
        assert check in script


def test_the_image_runs_unprivileged_with_its_data_in_a_volume() -> None:
    lines = read("Dockerfile").splitlines()
    first = [line.split()[0] for line in lines if line and line[0].isupper()]
    assert {"USER", "VOLUME", "STOPSIGNAL", "HEALTHCHECK"} <= set(first)
    bases = {line.split()[1] for line in lines if line.startswith("FROM ")}
    assert len(bases) == 1
    assert re.fullmatch(r"python:3\.13\.\d+-slim-[a-z]+", bases.pop()), "a version that stays what it is"
    installs = [line for line in lines if "pip install" in line]
    assert len(installs) == 2
    assert "--require-hashes" in installs[0]
    assert "-r requirements.txt" in installs[0]
    assert "--no-index --no-deps --no-build-isolation" in installs[1]
    assert "ROUNDTABLE_REQUIRE_TOKEN=1" in read("Dockerfile")
    copied = {
        word for line in lines if line.startswith("COPY ") and "--from" not in line for word in line.split()[1:-1]
    }
    allowed = {line[1:] for line in read(".dockerignore").splitlines() if line.startswith("!")}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)


def test_the_changelog_tells_of_the_present_version() -> None:
    version = tomllib.loads(read("pyproject.toml"))["project"]["version"]
    assert version in read("CHANGELOG.md")


@pytest.mark.parametrize(
    "name",
    [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "sandbox/README.md",
        *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
    ],
)
def test_links_within_the_repository_lead_somewhere(name: str) -> None:
    folder = (ROOT / name).parent
    prose = re.sub(r"```.*?```|`[^`]*`", "", read(name), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose)
    broken = [link for link in links if "://" not in link and not (folder / link).exists()]
    assert not broken


def test_every_path_in_the_contributors_page_exists() -> None:
    paths = re.findall(r"`((?:rules|render|engine|sandbox|bot|tests|docs)(?:/[\w./]*)?)`", read("CONTRIBUTING.md"))
    assert len(paths) > 40
    assert not [path for path in paths if not (ROOT / path).exists()]


def test_the_invite_link_asks_for_the_permissions_that_the_papers_explain() -> None:
    asked = {name for name, given in INVITED_WITH if given}
    rows = re.search(r"\| Permission \| What for \|\n\|---\|---\|\n(?P<rows>(?:\|.+\n)+)", read("docs/hosting.md"))
    assert rows
    explained = {row.split("|")[1].strip().lower().replace(" ", "_") for row in rows["rows"].splitlines()}
    assert {name.replace("read_messages", "view_channels") for name in asked} == explained


def test_a_player_is_they_in_code_and_papers() -> None:
    pronoun = re.compile(r"(?<![a-z])h(?:e|is|im|imself)(?![a-z])", re.IGNORECASE)
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        if path.suffix in {".py", ".js", ".css", ".html", ".md", ".toml"}
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if pronoun.search(line)
    ]
    assert not found


def test_no_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(r"(?<![\w.~$}/-])/(?:home|Users|root|work|mnt|tmp)/\w")
    texts = [path for path in tracked() if path.suffix not in {".png", ".gif", ".ttf", ".otf", ".woff2", ".ico"}]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in texts
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1)
        if place.search(line)
    ]
    assert not found


NO_COMMANDS = {"/data", "/healthz", "/metrics"}
"""What begins with a slash and is none: a folder, and two addresses."""


def typed_names() -> dict[str, bool]:
    """The names of all commands, and of their groups; whether each can be given as it stands."""
    found: dict[str, bool] = {}
    for command in every_command((PLAY, *FEATURES)):
        if isinstance(command, ContextMenu):
            continue
        inner = [*command.walk_commands()] if isinstance(command, Group) else []
        found |= {one.qualified_name: not isinstance(one, Group) for one in (command, *inner)}
    return found


def test_no_text_and_no_paper_names_a_command_that_does_not_exist() -> None:
    names, wrong = typed_names(), []
    for path in tracked():
        where = path.relative_to(ROOT).as_posix()
        if path.suffix not in (".toml", ".md", ".py") or where.startswith(("tests/", "sandbox/")):
            continue
        said = "locales/" in where  # what readers press: a group alone cannot be given
        pattern = r"(?<![\w/.<>*:{-])(/[a-z][a-z0-9 :-]*)" if said else r"`(/[a-z][^`]*)`"
        for line in path.read_text("utf-8").splitlines():
            for typed in re.findall(pattern, line) if not line.startswith("# ") else ():
                words = typed[1:].split(" ")
                known = [names.get(" ".join(words[:count])) for count in range(1, len(words) + 1)]
                if not (True in known or (False in known and not said) or typed in NO_COMMANDS):
                    wrong.append(f"{where}: {typed}")
    assert not wrong


@pytest.mark.parametrize("locale", LANGUAGES)
def test_no_command_is_named_where_discord_shows_words_as_they_are(locale: str) -> None:
    plain = ("command.", "choice.", "button.", "alt.", "game-choice.")
    assert not [key for key, said in load_catalogue(locale).items() if key.startswith(plain) and "`" in said]

#!/usr/bin/env bash
# Does what the generic Python egg of Pterodactyl and Pelican does, with the values of docs/hosting.md, and tries the sandbox.
set -eu
cd "$(dirname "$0")/.."
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
cp -r pyproject.toml requirements.txt README.md LICENSE rules render engine bot sandbox "$home"
python3 -m venv "$home/python"  # stands for the egg's image
export PIP_CACHE_DIR=${PIP_CACHE_DIR:-$HOME/.cache/pip} HOME=$home
cd "$home"
PY_PACKAGES=. REQUIREMENTS_FILE=requirements.txt PY_FILE=.local/bin/round-table
# shellcheck disable=SC2086  # as the egg has it
python/bin/pip install -q -U --prefix .local ${PY_PACKAGES}
python/bin/pip install -q -U --prefix .local -r ${REQUIREMENTS_FILE}
# In the egg's image the folder .local is the user's own site, which an environment made by venv does not look at.
PYTHONPATH=$(echo "$home"/.local/lib/python3.*/site-packages)
export PYTHONPATH
python3 "$OLDPWD/.ci/try_start.py" "$home/python/bin/python" "$home/$PY_FILE"

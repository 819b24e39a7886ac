# docker build -t round-table .
# docker run -d --name round-table --restart unless-stopped --read-only --tmpfs /tmp --cap-drop ALL \
#   --security-opt no-new-privileges -e DISCORD_TOKEN=… -v round-table:/data round-table
# `docker buildx imagetools inspect python:3.13.16-slim-trixie` names the digest, for whoever wants to pin that as well.
FROM python:3.13.16-slim-trixie AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# What runs, and what builds: whatever has another hash than it had when it was locked is refused.
COPY requirements.txt ./
RUN python -m venv /opt/round-table \
 && /opt/round-table/bin/pip install -q --require-hashes --only-binary :all: -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY rules rules
COPY render render
COPY engine engine
COPY bot bot
COPY sandbox sandbox
RUN /opt/round-table/bin/pip install -q --no-index --no-deps --no-build-isolation . \
 && /opt/round-table/bin/pip uninstall -q -y setuptools

FROM python:3.13.16-slim-trixie
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin roundtable \
 && install -d -o roundtable -g roundtable -m 0750 /data
COPY --from=build /opt/round-table /opt/round-table
# Nothing is written but in /data and /tmp, so the root can be read-only. VACUUM copies the whole database: not into /tmp.
# The C library gives the memory of drawn pictures back.
ENV PATH=/opt/round-table/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MALLOC_ARENA_MAX=1 \
    MALLOC_MMAP_THRESHOLD_=250000 \
    MALLOC_TRIM_THRESHOLD_=1000000 \
    SQLITE_TMPDIR=/data \
    ROUNDTABLE_DB=/data/roundtable.db \
    ROUNDTABLE_METRICS_PORT=9464 \
    ROUNDTABLE_REQUIRE_TOKEN=1
USER roundtable
WORKDIR /data
VOLUME /data
# Healthy is: connected to Discord, and ticking. Served within the container only, unless ROUNDTABLE_METRICS_HOST says more.
HEALTHCHECK --interval=60s --timeout=5s --start-period=60s \
    CMD python -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$ROUNDTABLE_METRICS_PORT/healthz', timeout=4)"
# The bot finishes what it is saying and closes its database on SIGTERM; see README, "Updating".
STOPSIGNAL SIGTERM
CMD ["python", "-m", "bot"]

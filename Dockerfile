# docker build -t round-table .
# docker run -d --name round-table --restart unless-stopped -e DISCORD_TOKEN=… -v round-table:/data round-table
FROM python:3.13-slim AS build
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY rules rules
COPY render render
COPY engine engine
COPY bot bot
RUN python -m venv /opt/round-table \
 && /opt/round-table/bin/pip install --no-cache-dir --disable-pip-version-check -q -c constraints.txt '.[metrics,postgres]'

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin roundtable \
 && install -d -o roundtable -g roundtable -m 0750 /data
COPY --from=build /opt/round-table /opt/round-table
ENV PATH=/opt/round-table/bin:$PATH \
    PYTHONUNBUFFERED=1 \
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

FROM python:3.13-slim

WORKDIR /app
COPY requirements.txt ./
RUN python -m pip install --no-cache-dir --disable-pip-version-check --require-hashes -r requirements.txt

COPY LICENSE ./
COPY locale locale
COPY migrations migrations
COPY static static
COPY templates templates
COPY unsession unsession

RUN useradd --uid 10001 --user-group --no-create-home unsession \
    && install --directory --owner=unsession --group=unsession --mode=0700 /data
USER unsession

ENV PYTHONUNBUFFERED=1 \
    UNSESSION_DATA_DIR=/data
VOLUME /data
EXPOSE 8000

HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]

CMD ["python", "-m", "unsession", "serve", "--host", "0.0.0.0", "--port", "8000"]

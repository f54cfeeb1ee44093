# syntax=docker/dockerfile:1
# The same Python that the tests run on. Pin the digest of the base image in your own build.
ARG PYTHON=python:3.11-slim-bookworm

FROM ${PYTHON} AS build
WORKDIR /src
RUN python -m venv /opt/expunge
ENV PATH=/opt/expunge/bin:$PATH PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# Dependencies first: they change less often than the code, and each comes with its digest.
COPY requirements.lock .
RUN pip install --only-binary :all: --require-hashes -r requirements.lock
COPY pyproject.toml README.md ./
COPY proxy proxy
COPY policies policies
COPY detectors detectors
RUN pip install --no-deps --no-build-isolation .

FROM ${PYTHON}
RUN useradd --uid 10001 --user-group --no-create-home --shell /usr/sbin/nologin expunge \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/expunge
COPY --from=build /opt/expunge /opt/expunge
# PYTHONSAFEPATH: nothing is imported from the working directory.
# The root file system may be read-only: state goes to the volume, scratch files to /tmp.
# Libraries that would report their use to their makers are told not to.
ENV PATH=/opt/expunge/bin:$PATH \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/tmp \
    MEM0_TELEMETRY=False \
    ORT_DISABLE_TELEMETRY=1 \
    EXPUNGE_CONFIG=/etc/expunge/expunge.yaml
USER 10001:10001
WORKDIR /
VOLUME /var/lib/expunge
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-I", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8081/readyz', timeout=4)"]
ENTRYPOINT ["expunge"]
CMD ["serve"]

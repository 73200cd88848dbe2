# syntax=docker/dockerfile:1
# Targets: the command line, which is the default (`docker build .`), and `gpu`, `server`, `server-gpu`. See
# docs/operations.md. What is installed is one wheel; models and norm sets are inside it, so that nothing needs a network
# when it runs.

FROM python:3.12-slim AS wheel
WORKDIR /source
RUN pip install --no-cache-dir "build==1.3.*"
COPY pyproject.toml README.md LICENSE CHANGELOG.md ./
COPY benchmarks_data benchmarks_data
COPY models models
COPY mediaan mediaan
RUN python -m build --wheel --outdir /wheels

FROM python:3.12-slim AS base
ENV PYTHONUNBUFFERED=1
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
RUN useradd --create-home --uid 1000 mediaan && install --directory --owner mediaan /data
WORKDIR /data

FROM base AS cpu
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[heif,server]"
USER 1000
ENTRYPOINT ["mediaan"]

# CUDA and cuDNN come as Python packages; the driver is the host's (NVIDIA Container Toolkit, `docker run --gpus all`).
FROM base AS gpu
RUN --mount=type=bind,from=wheel,source=/wheels,target=/wheels \
    pip install --no-cache-dir "$(echo /wheels/*.whl)[gpu,heif,server]"
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
USER 1000
ENTRYPOINT ["mediaan"]

FROM cpu AS server
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data"]

FROM gpu AS server-gpu
EXPOSE 8000
VOLUME /data
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=4)"]
CMD ["serve", "--host", "0.0.0.0", "--data", "/data", "--device", "cuda"]

FROM cpu

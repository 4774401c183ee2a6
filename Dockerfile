# The service. Build and run:  docker compose up --build
FROM python:3.13.15-slim-trixie AS build
WORKDIR /src
COPY constraints.txt pyproject.toml README.md LICENSE LICENSE-DATA ./
COPY matrices matrices
COPY resolver resolver
COPY assistant assistant
COPY api api
RUN python -m venv /opt/whichcuda \
    && /opt/whichcuda/bin/pip install --no-cache-dir --constraint constraints.txt .

FROM python:3.13.15-slim-trixie
LABEL org.opencontainers.image.title="whichcuda" \
      org.opencontainers.image.licenses="Apache-2.0 AND CC0-1.0"
COPY --from=build /opt/whichcuda /opt/whichcuda
RUN useradd --system --uid 10001 --no-create-home whichcuda
USER 10001
ENV PATH=/opt/whichcuda/bin:$PATH \
    PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/readyz', timeout=2)"]
ENTRYPOINT ["whichcuda"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8000"]

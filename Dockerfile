# Build: the toolchain and the -dev packages stay behind in this stage.
FROM swift:6.2-bookworm AS build
# Debian's security updates must come in, so no version is pinned.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvips-dev libturbojpeg0-dev libjpeg62-turbo-dev libzimg-dev libcurl4-openssl-dev libmagic-dev libpcre2-dev \
    libcrypt-dev libsqlite3-dev libpq-dev zlib1g-dev libzstd-dev libarchive-dev libjemalloc-dev libopencv-dnn-dev python3 python3-venv pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY scripts/fetch-model scripts/
RUN scripts/fetch-model
COPY Package.swift CHANGELOG.md ./
COPY Sources Sources
# Package.swift names targets whose sources .dockerignore leaves out; SwiftPM wants each of them to have a file.
# `scripts/check-dockerfile` runs this step.
RUN mkdir -p Tests/Support Benchmarks/Store Benchmarks/BareHummingbird \
 && touch Tests/Support/Empty.swift Benchmarks/Store/main.swift Benchmarks/BareHummingbird/main.swift \
 && sed -nE 's/.*of: "([A-Za-z0-9]+)".*/\1/p' Package.swift > Tests/names \
 && while read -r name; do mkdir "Tests/${name}Tests" && touch "Tests/${name}Tests/Empty.swift"; done < Tests/names
# The commit that `lcfile --version` names; `make image` sets it.
ARG COMMIT=
RUN export LCFILE_COMMIT=$COMMIT \
 && swift build -c release --product lcfile --static-swift-stdlib \
 && swift build -c release --product lcfile-classifier --static-swift-stdlib \
 && strip .build/release/lcfile .build/release/lcfile-classifier
COPY scripts/licenses scripts/
RUN scripts/licenses .build/checkouts /licenses \
 && cp -R models/licenses /licenses/open-nsfw

# Run: Debian with the C libraries and the table of media types.
FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvips42 libturbojpeg0 libjpeg62-turbo libzimg2 libcurl4 libmagic1 libmagic-mgc libpcre2-8-0 libcrypt1 \
    libsqlite3-0 libpq5 zlib1g libzstd1 libarchive13 libjemalloc2 libopencv-dnn406 ca-certificates fontconfig fonts-droid-fallback media-types \
 && rm -rf /var/lib/apt/lists/* \
 && groupadd --gid 10001 lcfile && useradd --uid 10001 --gid 10001 --no-create-home lcfile \
 # Any user can run the server: the mode is that of a new volume. The server makes what it stores private.
 && install -d -m 777 /storage /backups
COPY --from=build /src/.build/release/lcfile /src/.build/release/lcfile-classifier /usr/local/bin/
COPY --from=build /licenses /usr/share/doc/lcfile/licenses
COPY LICENSE /usr/share/doc/lcfile/
# Here the server finds the model of the classifier, and config/lcfile.yaml if a file is mounted there.
WORKDIR /lcfile
COPY --from=build /src/models/open-nsfw.onnx models/
USER 10001:10001
# Docker kills a container ten seconds after SIGTERM, so running requests get fewer.
ENV LCFILE_HOST=0.0.0.0 LCFILE_STORAGE=/storage LCFILE_HTTP_SHUTDOWN_TIMEOUT=8
VOLUME /storage
EXPOSE 8080
STOPSIGNAL SIGTERM
# Finds the server by LCFILE_HOST, LCFILE_PORT and LCFILE_TLS_CERTIFICATE; so set these here and not in a file.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s CMD ["lcfile", "health", "--live"]
ENTRYPOINT ["lcfile"]
CMD ["serve"]

# `make image` sets them.
ARG VERSION=unknown
ARG REVISION=unknown
LABEL org.opencontainers.image.title="lcfile" \
      org.opencontainers.image.description="Server for files, images and data with LeanCloud's protocol" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$REVISION"

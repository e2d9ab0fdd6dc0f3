# Build: the toolchain and the -dev packages stay behind in this stage.
FROM swift:6.2-bookworm AS build
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvips-dev libturbojpeg0-dev libjpeg62-turbo-dev libzimg-dev libcurl4-openssl-dev libmagic-dev libpcre2-dev \
    libcrypt-dev libsqlite3-dev zlib1g-dev libzstd-dev libarchive-dev libjemalloc-dev libopencv-dnn-dev python3 python3-venv pkg-config \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks/Store Benchmarks/Store
COPY Benchmarks/BareHummingbird Benchmarks/BareHummingbird
COPY scripts scripts
RUN scripts/fetch-model
RUN swift build -c release --product lcfile --static-swift-stdlib \
 && swift build -c release --product lcfile-classifier --static-swift-stdlib \
 && strip .build/release/lcfile .build/release/lcfile-classifier

# Run: Debian with the C libraries and the table of media types.
FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends libvips42 libturbojpeg0 libjpeg62-turbo libzimg2 libcurl4 libmagic1 libmagic-mgc libpcre2-8-0 libcrypt1 \
    libsqlite3-0 zlib1g libzstd1 libarchive13 libjemalloc2 libopencv-dnn406 fontconfig fonts-droid-fallback media-types \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 lcfile \
 && install -d -o lcfile /storage
COPY --from=build /src/.build/release/lcfile /src/.build/release/lcfile-classifier /usr/local/bin/
# Where the default of censorship.model finds it.
COPY --from=build /src/models /models
USER lcfile
ENV LCFILE_HOST=0.0.0.0 LCFILE_STORAGE=/storage
VOLUME /storage
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s CMD ["lcfile", "health", "--live"]
ENTRYPOINT ["lcfile"]
CMD ["serve"]

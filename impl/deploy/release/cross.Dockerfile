# Cross compiler and libraries for the worker on arm64, for `make release`, and qemu, for `make test-arm64`. Go comes from the machine
# that builds.
FROM debian:bookworm-slim
RUN dpkg --add-architecture arm64 && apt-get update \
 && apt-get install -y --no-install-recommends gcc-aarch64-linux-gnu libc6-dev-arm64-cross pkg-config ca-certificates qemu-user-static \
      libtesseract-dev:arm64 libleptonica-dev:arm64 \
 && apt-get clean && rm -rf /var/lib/apt/lists/*
ENV CC=aarch64-linux-gnu-gcc PKG_CONFIG=pkg-config PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig \
    CGO_ENABLED=1 GOOS=linux GOARCH=arm64

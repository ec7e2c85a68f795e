# Builds the operator's image with Docker:  docker build -t REGISTRY/karmada-operator-ts:0.1.0 .
#
# It unpacks what `npm run image -- FILE.tar` writes, which needs no Docker, so that both ways give the same files. Only
# linux/amd64: the Node.js that the project is built with and that goes into the image is an x86-64 one.

# `node scripts/containers.ts` prints these arguments with the digests of the images.
ARG NODE_IMAGE=docker.io/library/node:26-bookworm-slim
ARG GO_IMAGE=docker.io/library/golang:1.26-bookworm

FROM --platform=linux/amd64 ${NODE_IMAGE} AS node

# Go fetches the modules that the CRD archives of the Karmada releases are packed from. It comes from Debian like
# the libraries that Node.js is linked with, which go into the image too.
FROM --platform=linux/amd64 ${GO_IMAGE} AS build
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=node /usr/local/lib/node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /src
COPY . .
RUN node scripts/run.mjs scripts/image.ts /operator.tar
# The archives belong to the operator's user, all else to root: they are copied apart.
RUN mkdir /archive /rootfs \
  && tar -xf /operator.tar -C /archive \
  && tar -xpf /archive/*.tar -C /rootfs \
  && mv /rootfs/var/lib/karmada /karmada

FROM scratch
LABEL org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /rootfs/ /
COPY --from=build --chown=65532:65532 /karmada/ /var/lib/karmada/
ENV PATH="/usr/local/bin:/usr/bin:/bin" \
    NODE_ENV="production" \
    SSL_CERT_FILE="/etc/ssl/certs/ca-certificates.crt" \
    MALLOC_ARENA_MAX="1" \
    MALLOC_MMAP_MAX_="16384" \
    MALLOC_MMAP_THRESHOLD_="8192" \
    MALLOC_TRIM_THRESHOLD_="65536"
USER 65532:65532
ENTRYPOINT ["/usr/local/bin/node", "--max-semi-space-size=1", "--no-maglev", "--no-sparkplug", "--no-concurrent-recompilation", "--v8-pool-size=1", "--expose-gc", "--disable-warning=ExperimentalWarning", "/opt/karmada-operator/operator.mjs"]

# syntax=docker/dockerfile:1
# One service an image: docker build --build-arg SERVICE=ingest -t lineprint/ingest .
# SERVICE is a folder of apps/: ingest, indexer, commit-analyzer, line-attributor, rollup, query-api, standalone or cli.
ARG NODE_IMAGE=node:24-bookworm-slim
ARG SERVICE=standalone

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates g++ git make python3 \
  && rm -rf /var/lib/apt/lists/*
# The headers that native modules are compiled with come with Node; node-gyp would download them.
ENV npm_config_nodedir=/usr/local
WORKDIR /srv/lineprint
COPY . .
# A registry of one's own, if any: --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc node tools/setup.mjs

FROM build AS tree
ARG SERVICE
# What the service imports, and the bill of its packages (sbom.json). What settings do not place elsewhere lies on the volume.
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  node tools/image-tree.mjs "$SERVICE" /srv/tree \
  && ln -s "apps/$SERVICE/dist/main.js" /srv/tree/main.js \
  && ln -s /var/lib/lineprint /srv/tree/.lineprint

# tini hands signals on and reaps what git leaves behind.
FROM ${NODE_IMAGE} AS plain
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx \
  && install -d -o 1000 -g 1000 /var/lib/lineprint /var/lib/lineprint/mirrors

# What fetches or reads repositories needs git.
FROM plain AS git
RUN apt-get update \
  && apt-get install -y --no-install-recommends git openssh-client \
  && rm -rf /var/lib/apt/lists/*

# Images of one kind share these layers.
FROM git AS runtime-ingest
FROM plain AS runtime-indexer
FROM plain AS runtime-commit-analyzer
FROM plain AS runtime-line-attributor
FROM plain AS runtime-rollup
FROM git AS runtime-query-api
FROM git AS runtime-standalone
FROM git AS runtime-cli

FROM runtime-${SERVICE}
ARG SERVICE
WORKDIR /srv/lineprint
COPY --from=tree /srv/tree .
LABEL org.opencontainers.image.title="lineprint-$SERVICE" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.description="How much of the code that lands in git came from AI, with evidence"
ENV NODE_ENV=production LINEPRINT_HOST=0.0.0.0 LINEPRINT_PORT=7310
EXPOSE 7310
# No service writes below its folder; mirrors and the embedded database lie in /var/lib/lineprint, a volume.
USER 1000:1000
# What was told to end does so in order and then by the same signal: 143 is no failure.
ENTRYPOINT ["/usr/bin/tini", "-e", "143", "--", "node", "/srv/lineprint/main.js"]

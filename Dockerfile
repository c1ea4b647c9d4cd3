# syntax=docker/dockerfile:1
# One service an image: docker build --build-arg SERVICE=ingest -t lineprint/ingest .
# SERVICE is a folder of apps/: ingest, indexer, commit-analyzer, line-attributor, rollup, query-api, standalone or cli.
ARG NODE_IMAGE=node:24-bookworm-slim

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
ARG SERVICE=standalone
# What the service imports, and the bill of its packages (sbom.json).
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc \
  node tools/image-tree.mjs "$SERVICE" /srv/tree \
  && ln -s "apps/$SERVICE/dist/main.js" /srv/tree/main.js

FROM ${NODE_IMAGE}
ARG SERVICE=standalone
# What fetches or reads repositories needs git. tini hands signals on and reaps what git leaves behind.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates tini \
    $(case "$SERVICE" in ingest|query-api|standalone|cli) echo git openssh-client ;; esac) \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx \
  && install -d -o 1000 -g 1000 /var/lib/lineprint/mirrors
WORKDIR /srv/lineprint
COPY --from=tree /srv/tree .
LABEL org.opencontainers.image.title="lineprint-$SERVICE" \
  org.opencontainers.image.licenses="Apache-2.0" \
  org.opencontainers.image.description="How much of the code that lands in git came from AI, with evidence"
ENV NODE_ENV=production LINEPRINT_HOST=0.0.0.0 LINEPRINT_PORT=7310
EXPOSE 7310
# No service writes below its folder; mirrors and the embedded database lie where settings say.
USER 1000:1000
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/srv/lineprint/main.js"]

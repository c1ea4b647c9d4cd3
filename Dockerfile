# One image for every service: `docker build --build-arg SERVICE=ingest .` sets which one it starts by default;
# any other starts with the command `node apps/<service>/dist/main.js`.
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS build
# tree-sitter's prebuilt binary wants a newer C++ library than this Debian has, so it is compiled.
RUN apt-get update \
  && apt-get install -y --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /lineprint
COPY . .
RUN node tools/setup.mjs && npm prune --omit=dev --loglevel=error && rm -rf node_modules/.cache

FROM ${NODE_IMAGE}
ARG SERVICE=ingest
ENV NODE_ENV=production LINEPRINT_SERVICE=${SERVICE} LINEPRINT_HOST=0.0.0.0 LINEPRINT_PORT=7310
RUN apt-get update \
  && apt-get install -y --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /lineprint
COPY --from=build /lineprint .
USER 1000
EXPOSE 7310
CMD ["sh", "-c", "exec node apps/$LINEPRINT_SERVICE/dist/main.js"]

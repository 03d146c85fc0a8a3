# CI runs `npm run test:api` on this version too. Any Node from 20.19 on works.
ARG NODE_VERSION=24

FROM node:${NODE_VERSION}-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# `npm ci` wants the manifest of each workspace that the lockfile names.
COPY packages/client/package.json ./packages/client/
COPY packages/demo/package.json ./packages/demo/
RUN npm ci
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN npm run build

FROM node:${NODE_VERSION}-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Optional dependencies are the embedded PostgreSQL's programs; a container is given a database. The
# service uses no workspace, so none is linked.
RUN npm ci --omit=dev --omit=optional --workspaces=false

FROM node:${NODE_VERSION}-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY package.json .env.example ./
COPY --from=dependencies /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY migrations ./migrations
COPY sql ./sql
# Only the development issuer writes, its key; a service with a real issuer writes nothing.
RUN mkdir .data && chown node:node .data
USER node
EXPOSE 3000
STOPSIGNAL SIGTERM
# Whether the process runs. Whether it can answer is `/health/ready`, for the router in front of it: a
# database that is away is no reason to restart this.
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without a shell in between, so that the signal to stop reaches the service.
CMD ["node", "--max-semi-space-size=64", "dist/main.js"]

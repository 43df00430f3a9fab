# The audit-runner worker and command line. Debian and not Alpine: Temporal's native core needs glibc.
ARG NODE=24-bookworm

FROM node:${NODE} AS build
WORKDIR /app
COPY .npmrc package.json package-lock.json ./
# Without scripts: the package's own `prepare` would build before its sources are there.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY bin bin
COPY src src
COPY workflows workflows
COPY activities activities
# Makes the workflow bundles too, so that no worker spends its start on them.
RUN npm run build && npm prune --omit=dev --ignore-scripts
# Temporal's core is shipped for five platforms; only Linux ones can run here.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name '*-linux-gnu' -exec rm -r {} +

FROM node:${NODE}-slim
# The slim image has no certificate authorities. Node brings its own, Temporal's core does not: TLS to it needs these.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_ENV=production
# How people in this container call what pages and commands tell them to; compose says how it is called from outside.
ENV AUDIT_RUNNER_COMMAND="node bin/audit-runner.js"
# The C library would keep a heap of its own for each of the threads, 50 MB of freed memory with a thousand runs.
ENV MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
COPY --from=build /app/dist dist
# A volume mounted here begins as this folder is: writable for the user below.
RUN install -d -o 1000 -g 1000 /data
# By number, so that an orchestrator can see that it is not root: the image's user `node`.
USER 1000:1000
# The worker finishes the calls in flight, at most 6 minutes: whoever stops the container must wait that long.
STOPSIGNAL SIGTERM
# No HEALTHCHECK: a worker that waits for Temporal or for a hold to end is well, and one that is not well ends itself.
ENTRYPOINT ["node", "bin/audit-runner.js"]
CMD ["worker"]

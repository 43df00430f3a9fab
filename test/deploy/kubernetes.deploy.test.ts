/** The manifests for Kubernetes are valid, and fit the worker: its time to stop, its probes, its variables, its secrets. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { VARIABLES } from '../../src/cli/environment';
import { loadConfig } from '../../src/config';
import { uiUrlOf } from '../../src/temporal/ui-url';
import { programOf } from '../../src/text/command';
import { ROOT, read, run, service, testWith } from './support';

const FILE = 'deploy/kubernetes/worker.yaml';
const Manifest = z.looseObject({ kind: z.string() });
const documents = parseAllDocuments(read(FILE)).map((document) => Manifest.parse(document.toJS()));

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) });
const Container = z.looseObject({
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  livenessProbe: Probe,
  readinessProbe: Probe,
  startupProbe: Probe,
  volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
  securityContext: z.looseObject({
    readOnlyRootFilesystem: z.literal(true),
    allowPrivilegeEscalation: z.literal(false),
  }),
  resources: z.object({
    requests: z.record(z.string(), z.string()),
    limits: z.object({ memory: z.string() }).strict(),
  }),
});
const Deployment = z.looseObject({
  spec: z.looseObject({
    template: z.object({
      metadata: z.looseObject({}),
      spec: z.looseObject({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
        containers: z.tuple([Container]),
        volumes: z.array(
          z.looseObject({ name: z.string(), secret: z.looseObject({ secretName: z.string() }).optional() }),
        ),
      }),
    }),
  }),
});
const { spec } = Deployment.parse(documents.find(({ kind }) => kind === 'Deployment')).spec.template;
const [container] = spec.containers;
const env = Object.fromEntries(container.env.map(({ name, value }) => [name, value]));

test('the worker has as long to stop as in docker-compose', () => {
  expect(`${spec.terminationGracePeriodSeconds / 60}m`).toBe(service('worker').stop_grace_period);
});

test('probes ask where the worker answers, and metrics are where Prometheus looks', () => {
  const port = (name: string) => container.ports.find((one) => one.name === name)?.containerPort;
  expect(env.AUDIT_RUNNER_HEALTH_ADDRESS).toBe(`0.0.0.0:${port('health')}`);
  expect(env.AUDIT_RUNNER_METRICS_ADDRESS).toBe(`0.0.0.0:${port('metrics')}`);
  const asked = [container.livenessProbe, container.startupProbe, container.readinessProbe].map(
    ({ httpGet }) => httpGet,
  );
  expect(asked.map(({ path: at }) => at)).toEqual(['/healthz', '/healthz', '/readyz']);
  expect(new Set(asked.map((one) => one.port))).toEqual(new Set(['health']));
});

test('pages tell people commands and links that work outside of the pod', () => {
  expect(programOf(env.AUDIT_RUNNER_COMMAND, undefined)).toBe(
    'kubectl exec deploy/audit-runner -- node bin/audit-runner.js',
  );
  const { metadata } = z
    .looseObject({ metadata: z.looseObject({ name: z.string() }) })
    .parse(documents.find(({ kind }) => kind === 'Deployment'));
  expect(env.AUDIT_RUNNER_COMMAND).toContain(` deploy/${metadata.name} `);
  expect(uiUrlOf(env)).toMatch(/^https:/);
});

test('all variables are known, and the configuration is one that the worker takes', () => {
  expect(Object.keys(env).filter((name) => !Object.hasOwn(VARIABLES, name))).toEqual([]);
  const { data } = z
    .looseObject({ data: z.record(z.string(), z.string()) })
    .parse(documents.find(({ kind }) => kind === 'ConfigMap'));
  const file = path.basename(env.AUDIT_RUNNER_CONFIG ?? '');
  const folder = mkdtempSync(path.join(tmpdir(), 'audit-runner-kubernetes-'));
  try {
    writeFileSync(path.join(folder, file), data[file] ?? '');
    const { accounts } = loadConfig({ env: {}, file: path.join(folder, file), tokens: false });
    expect(accounts.default?.budget.perDay).toBe(20_000);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the secrets are those that the documents tell people to make', () => {
  const told = /kubectl create secret generic (\S+)((?: --from-file=\S+)+)/.exec(read('docs/administrators.md'));
  const [, name, files = ''] = told ?? [];
  const volume = spec.volumes.find(({ secret }) => secret?.secretName === name);
  const at = container.volumeMounts.find((mount) => mount.name === volume?.name)?.mountPath ?? '';
  const account = JSON.stringify(parse(read(FILE).split('---')[0] ?? ''));
  for (const secret of files
    .trim()
    .split(/ ?--from-file=/)
    .filter(Boolean))
    expect(`${account} ${JSON.stringify(env)}`).toContain(`${at}/${secret}`);
});

test('nothing scales the worker by itself', () => {
  expect(documents.map(({ kind }) => kind).sort()).toEqual(['ConfigMap', 'Deployment', 'PodDisruptionBudget']);
});

describe('kubernetes-validate', () => {
  testWith('kubernetes-validate')('takes the manifests, and does refuse a port that is none', () => {
    expect(run('kubernetes-validate', ['--strict', '--quiet', FILE])).toEqual({ status: 0, output: '' });
    const folder = mkdtempSync(path.join(tmpdir(), 'audit-runner-kubernetes-'));
    try {
      const bad = path.join(folder, 'bad.yaml');
      writeFileSync(bad, read(FILE).replace('containerPort: 8080', 'containerPort: none'));
      expect(run('kubernetes-validate', ['--strict', bad], { cwd: ROOT }).status).toBe(1);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import ts from 'typescript';
import { parseAllDocuments } from 'yaml';

const PROJECT = path.resolve(__dirname, '../..');
const MODULES = {
  ConfigMap: 'v1',
  Job: 'batch/v1',
  Deployment: 'apps/v1',
  PodDisruptionBudget: 'policy/v1',
  Service: 'v1',
  NetworkPolicy: 'networking.k8s.io/v1',
} as const;
const MODELS = { ConfigMap, Job, Deployment, PodDisruptionBudget, Service, NetworkPolicy };

interface Resource {
  readonly apiVersion: string;
  readonly kind: keyof typeof MODELS;
}

const resources = parseAllDocuments(
  readFileSync(path.join(PROJECT, 'deploy/kubernetes.yaml'), 'utf8'),
).map((document) => document.toJS() as Resource);
const resourceOf = <Kind extends keyof typeof MODELS>(kind: Kind) =>
  resources.find((resource) => resource.kind === kind) as unknown as InstanceType<
    (typeof MODELS)[Kind]
  >;

/**
 * Returns what the compiler reports for the resources as literals, which may have no unknown
 * property.
 */
function problemsOf(literals: readonly Resource[]): string[] {
  // Exists only in memory. Its folder is where the compiler begins to look for the packages.
  const file = path.join(PROJECT, 'test/checks/in-memory.ts');
  const code = literals
    .map(({ kind, ...rest }, index) => {
      const { apiVersion } = rest;
      const value = JSON.stringify({ kind, ...rest });
      return `import type { I${kind} as Type${index} } from 'kubernetes-models/${MODULES[kind]}';
export const resource${index}: Type${index} = ${value};\nexport const version${index} = '${apiVersion}';`;
    })
    .join('\n');
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    types: [],
  };
  const host = ts.createCompilerHost(options);
  const readHost = host.readFile.bind(host);
  const hasFile = host.fileExists.bind(host);
  host.readFile = (name) => (name === file ? code : readHost(name));
  host.fileExists = (name) => name === file || hasFile(name);
  const getSource = host.getSourceFile.bind(host);
  host.getSourceFile = (name, languageVersion, ...rest) =>
    name === file
      ? ts.createSourceFile(name, code, languageVersion)
      : getSource(name, languageVersion, ...rest);
  return ts
    .getPreEmitDiagnostics(ts.createProgram([file], options, host))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('deploy/kubernetes.yaml', () => {
  it('contains the resources of a release, each valid by the schema of Kubernetes', () => {
    expect(resources.map(({ kind }) => kind)).toEqual(Object.keys(MODULES));
    for (const resource of resources) {
      expect(resource.apiVersion).toBe(MODELS[resource.kind].apiVersion);
      const Model = MODELS[resource.kind] as unknown as new (data: Resource) => {
        validate(): void;
      };
      expect(() => new Model(resource).validate()).not.toThrow();
    }
  });

  it('has no field that Kubernetes does not define', () => {
    expect(problemsOf(resources)).toEqual([]);
    expect(problemsOf([{ ...resources[0]!, dta: {} } as Resource])).toEqual([
      expect.stringContaining(`"dta"' does not exist`),
    ]);
  });

  it('sets only existing settings for the pods, and no password', () => {
    const settings = readFileSync(path.join(PROJECT, '.env.example'), 'utf8');
    const names = Object.keys(resourceOf('ConfigMap').data!);
    expect(names.filter((name) => !settings.includes(`\n${name}=`))).toEqual([]);
    expect(names).not.toContain('REDIS_URL');
    const [job, deployment] = [
      resourceOf('Job').spec!.template.spec!,
      resourceOf('Deployment').spec!.template.spec!,
    ];
    const variables = {
      ...resourceOf('ConfigMap').data,
      ...Object.fromEntries(job.containers[0]!.env!.map(({ name, value }) => [name, value ?? ''])),
    };
    const addresses = Object.values(variables).filter((value) => /^postgres/.test(value));
    expect(addresses.map((address) => new URL(address).password)).toEqual(['', '', '']);
    const files = Object.entries(variables).filter(([name]) => name.endsWith('_FILE'));
    expect(files).toHaveLength(4);
    for (const { containers } of [job, deployment]) {
      const { mountPath } = containers[0]!.volumeMounts![0]!;
      expect(files.every(([, file]) => file.startsWith(`${mountPath}/`))).toBe(true);
    }
  });

  it('gives no pod the variables of other services, which could be named like settings', () => {
    for (const kind of ['Job', 'Deployment'] as const) {
      expect(resourceOf(kind).spec!.template.spec).toMatchObject({ enableServiceLinks: false });
    }
  });

  it('runs every container without privileges and with a read-only file system', () => {
    for (const { spec } of [
      resourceOf('Job').spec!.template,
      resourceOf('Deployment').spec!.template,
    ]) {
      expect(spec!.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(spec!.containers[0]!.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('waits longer than the service takes to stop', () => {
    const { SHUTDOWN_DELAY_MS: delay } = resourceOf('ConfigMap').data!;
    const grace = /^SHUTDOWN_GRACE_MS=(\d+)$/m.exec(
      readFileSync(path.join(PROJECT, '.env.example'), 'utf8'),
    )![1];
    const { terminationGracePeriodSeconds } = resourceOf('Deployment').spec!.template.spec!;
    expect(terminationGracePeriodSeconds! * 1000).toBeGreaterThan(Number(delay) + Number(grace));
  });

  it('selects its pods, and names their ports', () => {
    const { template, selector } = resourceOf('Deployment').spec!;
    const labels = template.metadata!.labels!;
    expect([
      selector.matchLabels,
      resourceOf('Service').spec!.selector,
      resourceOf('PodDisruptionBudget').spec!.selector!.matchLabels,
      resourceOf('NetworkPolicy').spec!.podSelector.matchLabels,
    ]).toEqual(Array(4).fill(labels));
    expect(resourceOf('Job').spec!.template.metadata!.labels).not.toEqual(labels);
    const ports = template.spec!.containers[0]!.ports!.map(({ name }) => name);
    const named = [
      ...resourceOf('Service').spec!.ports!.map(({ targetPort }) => targetPort),
      ...resourceOf('NetworkPolicy').spec!.ingress!.flatMap(({ ports: open }) =>
        open!.map(({ port }) => port),
      ),
    ];
    expect(named).toEqual(['http', 'http', 'metrics']);
    expect(ports).toEqual(['http', 'metrics']);
  });
});

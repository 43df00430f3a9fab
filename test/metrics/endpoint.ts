/** The metrics of this process, as Prometheus would read them. */
import pino from 'pino';
import { freePort } from '../../src/dev-server/free-port';
import { installSdkRuntime } from '../../src/temporal/sdk-runtime';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Turns metrics on for this process. Before anything else of the SDK; a process has one endpoint for good. */
export async function openEndpoint(): Promise<{ text(): Promise<string>; samples(): Promise<Sample[]> }> {
  const address = `127.0.0.1:${await freePort()}`;
  installSdkRuntime(pino({ level: 'silent' }), address);
  const text = async () => (await fetch(`http://${address}/metrics`)).text();
  return { text, samples: async () => samplesOf(await text()) };
}

/** What stands in a page of Prometheus's text format. */
export function samplesOf(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
    return [
      {
        name,
        labels: Object.fromEntries(pairs),
        value: /^\+?inf$/i.test(value) ? Number.POSITIVE_INFINITY : Number(value),
      },
    ];
  });
}

/** The sum of the samples that have these labels; undefined where there is none. */
export function sumOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
  );
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
}

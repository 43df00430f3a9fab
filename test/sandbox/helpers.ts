import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox';

const open: Sandbox[] = [];

/** A sandbox that ends with its test; limits are off and nothing takes time unless the test says so. */
export async function sandboxOf(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox({
    limits: 'off',
    ...options,
    durations: {
      convert: 0,
      createProject: 0,
      upload: 0,
      documentAnalysis: 0,
      audit: 0,
      extraction: 0,
      webhookRetry: 0,
      ...options.durations,
    },
  });
  open.push(sandbox);
  return sandbox;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: unknown;
}

export interface Sent {
  token?: string | null;
  session?: string;
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
}

/** One request, with the write token unless another one, none (`null`) or a browser session is given. */
export async function call(sandbox: Sandbox, method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const token =
    sent.session === undefined ? (sent.token ?? (sent.token === null ? undefined : sandbox.token)) : undefined;
  const response = await fetch(sandbox.baseUrl + path, {
    method,
    headers: {
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(sent.session !== undefined && { Cookie: `session=${sent.session}` }),
      ...(sent.body !== undefined && { 'Content-Type': 'application/json' }),
      ...sent.headers,
    },
    body: sent.form ?? (sent.body === undefined ? null : JSON.stringify(sent.body)),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Waits until the condition gives a value; the test's own time limit ends it. */
export async function until<T>(condition: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** The first of a list that a test cannot do without. */
export function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('the list is empty');
  return one;
}

/** IDs of leads that can be converted. */
export const convertible = (sandbox: Sandbox): string[] =>
  sandbox.control
    .leads()
    .filter(({ surveyStatus }) => surveyStatus === 'completed')
    .map(({ id }) => id);

export const convertPath = (leadId: string) => `/api/lead-generation/leads/${leadId}/convert`;

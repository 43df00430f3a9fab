import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { type SearchAttributeType, TypedSearchAttributes } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { GRPC, grpcStatus, isRefusal, isUnprepared, serverWords } from './grpc-status';
import { searchAttributeKeys } from './search-attribute-keys';
import { bareWords, TemporalUnreachable } from './unreachable';

const { IndexedValueType } = temporal.api.enums.v1;

const VISIBLE_TIMEOUT_MS = 30_000;
const POLL_MS = 50;

/** The types that {@link searchAttributeKeys} uses, as the server numbers them. */
const INDEXED: Partial<Record<SearchAttributeType, temporal.api.enums.v1.IndexedValueType>> = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
};

const wanted = Object.values(searchAttributeKeys).map(({ name, type }) => {
  const indexed = INDEXED[type];
  if (indexed === undefined) throw new Error(`search attribute ${name}: its type is missing in INDEXED`);
  return { name, type, indexed };
});

const named = (attributes: typeof wanted): string =>
  attributes.map(({ name, type }) => `${name} (${TypedSearchAttributes.toMetadataType(type)})`).join(', ');

type Services = Pick<Connection, 'operatorService' | 'workflowService'>;

/**
 * Makes the project's search attributes exist in the namespace, and waits until the server takes them. Safe to repeat.
 *
 * Returns a warning for a person where they are missing and the server lets nobody register them through its API (managed
 * Temporal): without them runs cannot go on; or where they are there, and its lists do not answer. Throws when one exists with
 * another type, or there is no place left for them, for the same reason.
 */
export async function registerSearchAttributes(connection: Services, namespace: string): Promise<string | undefined> {
  const deadline = performance.now() + VISIBLE_TIMEOUT_MS;
  let missing: typeof wanted | undefined;
  try {
    missing = await missingAttributes(connection, namespace);
    if (missing.length > 0) await add(connection, namespace, missing);
    while (!(await areTaken(connection, namespace))) {
      if (performance.now() > deadline)
        throw new Error(
          `the Temporal server does not take the search attributes after ${VISIBLE_TIMEOUT_MS / 1_000} s`,
        );
      await sleep(POLL_MS);
    }
    return undefined;
  } catch (error) {
    // Its lists may be away while all else is well, and runs need none.
    if (missing?.length === 0 && grpcStatus(error) !== undefined)
      return `The search attributes are registered, but the lists of the Temporal server do not answer: ${serverWords(error)}.`;
    if (!isRefusal(error)) throw error;
    // A server that refuses this question, too, has told nothing.
    if (await areTaken(connection, namespace).catch(() => false)) return undefined;
    return (
      `This Temporal server lets nobody register search attributes through its API, as managed Temporal does. ` +
      `Runs cannot go on in namespace '${namespace}' until its settings have these: ${named(wanted)}.`
    );
  }
}

/**
 * Whether a run can be started with them. A server on PostgreSQL refuses for up to three seconds what it lists already; a
 * query is refused as long as a start is.
 */
async function areTaken({ workflowService }: Services, namespace: string): Promise<boolean> {
  const query = wanted.map(({ name }) => `${name} IS NULL`).join(' AND ');
  try {
    await workflowService.countWorkflowExecutions({ namespace, query });
    return true;
  } catch (error) {
    if (isUnprepared(error)) return false;
    throw error;
  }
}

/**
 * The search attributes that the namespace lacks; `listed` is false where the server lists them to nobody: then all of them are
 * named unless it takes all.
 */
export async function lackingAttributes(
  connection: Services,
  namespace: string,
): Promise<{ listed: boolean; lacking: readonly { name: string; type: SearchAttributeType }[] }> {
  try {
    return { listed: true, lacking: notIn(await listed(connection, namespace)) };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { listed: false, lacking: (await areTaken(connection, namespace)) ? [] : wanted };
  }
}

const listed = async ({ operatorService }: Services, namespace: string) =>
  (await operatorService.listSearchAttributes({ namespace })).customAttributes;

const notIn = (attributes: Awaited<ReturnType<typeof listed>>) =>
  wanted.filter(({ name }) => attributes[name] === undefined);

async function missingAttributes(connection: Services, namespace: string) {
  const attributes = await listed(connection, namespace);
  const wrong = wanted.find(({ name, indexed }) => (attributes[name] ?? indexed) !== indexed);
  if (wrong)
    throw new Error(
      `The namespace '${namespace}' has a search attribute ${wrong.name} that is not of type ` +
        `${TypedSearchAttributes.toMetadataType(wrong.type)}. Use a namespace of its own, or remove it there. On a server with ` +
        'Elasticsearch all namespaces share their search attributes: ask who uses it before you remove it, or use another server.',
    );
  return notIn(attributes);
}

async function add({ operatorService }: Services, namespace: string, missing: typeof wanted): Promise<void> {
  const searchAttributes = Object.fromEntries(missing.map(({ name, indexed }) => [name, indexed]));
  try {
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  } catch (error) {
    // Another worker that starts now was first.
    if (grpcStatus(error) === GRPC.ALREADY_EXISTS) return;
    // A namespace on a SQL database has few places of each type.
    if (grpcStatus(error) !== GRPC.INVALID_ARGUMENT) throw error;
    throw new TemporalUnreachable(
      `the Temporal server does not take the search attributes ${named(missing)} in namespace '${namespace}': ${bareWords(error)}`,
      'remove some that nobody uses there, or use a namespace of its own',
      { cause: error },
    );
  }
}

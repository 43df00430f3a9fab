/**
 * THE table of the calls that must not happen twice, of which some cost. Grants, prices, plans, what can be looked up for the
 * ledger, the stand-in's books and `callApi`'s refusals follow from it. A route that costs, or whose effect can be looked up,
 * and that is not in it, does not compile.
 */
import type { PaidRoute, RouteToLookUp } from '../agent-api/routes';

interface OnceOnly {
  /** The first word of its subjects: what the ledger grants it for. */
  readonly kind: string;
  /** The workflow that looks before it sends again; people are referred to it. */
  readonly workflow: string;
  /** It can happen once only, ever: a lead is converted once; an audit may be wanted again. */
  readonly onceEver: boolean;
}

interface Costs {
  /** Its price, among the facts of an account: stored in histories, so a name stays. */
  readonly price: string;
  /** One of them, as a sentence begins. */
  readonly what: string;
}

export const ONCE_ONLY = {
  'leads.convert': {
    kind: 'lead',
    workflow: 'convertLead',
    onceEver: true,
    price: 'convertPrice',
    what: 'A conversion',
  },
  'projects.create': {
    kind: 'project',
    workflow: 'auditProject',
    onceEver: true,
    price: 'createPrice',
    what: 'A new project',
  },
  'projects.uploadDocument': { kind: 'document', workflow: 'auditProject', onceEver: false },
  'projects.audit': { kind: 'audit', workflow: 'auditProject', onceEver: false },
  'projects.auditAsync': { kind: 'audit', workflow: 'auditProject', onceEver: false },
  'captures.submitNote': { kind: 'note', workflow: 'ingestCapture', onceEver: true },
  'captures.reprocess': { kind: 'capture', workflow: 'ingestCapture', onceEver: false },
} as const satisfies Readonly<Record<RouteToLookUp, OnceOnly> & Record<PaidRoute, OnceOnly & Costs>>;

type Entry = (typeof ONCE_ONLY)[keyof typeof ONCE_ONLY];
type PaidEntry = (typeof ONCE_ONLY)[PaidRoute];

/** Calls of other routes are of the kind `call`. */
export type Kind = Entry['kind'] | 'call';
/** Kinds that cost. */
export type PaidKind = PaidEntry['kind'];
/** The prices of an account, credits each. */
export type Prices = Readonly<Record<PaidEntry['price'], number>>;

const entries = Object.values(ONCE_ONLY);

export const KINDS: ReadonlySet<string> = new Set<Kind>([...entries.map(({ kind }) => kind), 'call']);
export const ONCE_EVER: ReadonlySet<string> = new Set(entries.flatMap(({ kind, onceEver }) => (onceEver ? kind : [])));
/** What costs, by its kind. */
export const PAID = Object.fromEntries(
  Object.entries(ONCE_ONLY).flatMap(([route, entry]) =>
    'price' in entry ? [[entry.kind, { route: route as PaidRoute, price: entry.price, what: entry.what }]] : [],
  ),
) as Readonly<Record<PaidKind, { readonly route: PaidRoute } & Pick<PaidEntry, 'price' | 'what'>>>;
export const paidKinds = Object.keys(PAID) as PaidKind[];
export const isPaidKind = (kind: string | undefined): kind is PaidKind =>
  kind !== undefined && Object.hasOwn(PAID, kind);

/** The prices of an account. @param creditsOf what a success of a route costs */
export const pricesOf = (creditsOf: (route: PaidRoute) => number): Prices =>
  Object.fromEntries(paidKinds.map((kind) => [PAID[kind].price, creditsOf(PAID[kind].route)])) as Prices;

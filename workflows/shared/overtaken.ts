/**
 * What lets more be spent is taken once it is written (S8), so that what people say after it may be taken before it. Then the
 * earlier word must not undo the later one: it is refused when its turn has come.
 */
import { currentUpdateInfo, patched, type UpdateInput } from '@temporalio/workflow';
import { epoch } from './reset';

/** Runs from before this patch take what waited, whatever was said meanwhile. */
export const LATER_WORD = 'laterWordCounts';

interface Heard {
  readonly update: string;
  readonly said: unknown;
  readonly epoch: object;
  overtaken?: string;
}

/** Of this run, by the IDs of updates: what people said and it has not taken yet, in the order in which they said it. */
const heard = new Map<string, Heard>();

/** Called where people say something, before anything else. @returns called when it is answered */
export function hear({ updateId, name, args: [said] }: UpdateInput): () => void {
  heard.set(updateId, { update: name, said, epoch: epoch() });
  return () => void heard.delete(updateId);
}

/** Whether something that people said is still to be taken. */
export const isHeard = (update: string): boolean =>
  [...heard.values()].some((one) => one.update === update && one.overtaken === undefined);

/** Whether the update that a validator looks at was accepted before, waited to be written, and has its turn now. */
export const hasWaited = (): boolean => heard.has(currentUpdateInfo()?.id ?? '');

/**
 * Something is taken now: what of all that was said before it must not be taken after it.
 * @param why what happened, as a clause
 */
export function overtakes<T>(update: string, why: string, isMeant: (said: T) => boolean = () => true): void {
  const own = currentUpdateInfo()?.id;
  for (const [id, one] of heard) {
    if (id === own) return;
    if (one.update === update && isMeant(one.said as T)) one.overtaken ??= why;
  }
}

/** Limits are set now: what was to set one of them before. @param by who sets them */
export function overtakesLimits(limits: object, by = 'somebody', update = 'changeLimits'): void {
  const names = Object.entries(limits).flatMap(([name, value]) => (value === undefined ? [] : name));
  overtakes<object>(update, `${by} set the same limit`, (said) =>
    names.some((name) => Reflect.get(said, name) !== undefined),
  );
}

/** Why an update must not be taken any more, now that its turn has come, if so: one sentence. */
export function whyOvertaken({ updateId, name }: UpdateInput): string | undefined {
  const one = heard.get(updateId);
  // What came after the moment to which it went back may be known from elsewhere, and this as well.
  const why = one && one.epoch !== epoch() ? 'this was reset' : one?.overtaken;
  if (why === undefined || !patched(LATER_WORD)) return undefined;
  return `${name}: nothing was changed, since ${why} after that was said. Look, and send it again if it is still right.`;
}

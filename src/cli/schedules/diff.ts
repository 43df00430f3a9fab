/** What `apply` would do: pure. */
import { isDeepStrictEqual } from 'node:util';
import type { ScheduleDefinition } from '../../temporal/schedule-definition';
import { type StoredSchedule, scheduleId } from '../../temporal/schedules';
import type { Wanted } from './definition';

/** A field as the file names it, `input.maxCredits`; undefined where it is not there. */
export interface FieldChange {
  field: string;
  from?: unknown;
  to?: unknown;
}

/**
 * `leftOver`: ours, no longer in the file, and removed only with `--prune`. `refused`: somebody else's schedule has the ID.
 */
export interface Change {
  pipeline: string;
  scheduleId: string;
  action: 'create' | 'change' | 'unchanged' | 'remove' | 'leftOver' | 'refused';
  fields: FieldChange[];
  /** Sentences for a person. */
  notes: string[];
}

/** What is there, by pipeline. */
export type Stored = ReadonlyMap<string, StoredSchedule | 'foreign'>;

/** In the order of the file, then what the file no longer has. */
export function changes(wanted: readonly Wanted[], stored: Stored, prune: boolean): Change[] {
  const names = new Set(wanted.map(({ pipeline }) => pipeline));
  const rest = [...stored].filter(([name, schedule]) => !names.has(name) && schedule !== 'foreign');
  return [
    ...wanted.map((one) => change(one, stored.get(one.pipeline))),
    ...rest.map(([name]): Change => ({ ...about(name), action: prune ? 'remove' : 'leftOver' })),
  ];
}

const about = (pipeline: string) => ({ pipeline, scheduleId: scheduleId(pipeline), fields: [], notes: [] });

function change(wanted: Wanted, stored: StoredSchedule | 'foreign' | undefined): Change {
  const { pipeline, definition, paused, warnings } = wanted;
  const base = about(pipeline);
  if (stored === undefined) return { ...base, action: 'create', notes: warnings };
  if (stored === 'foreign')
    return {
      ...{ ...base, action: 'refused' },
      notes: [
        `there is a schedule ${base.scheduleId} that audit-runner did not make: rename the pipeline, or delete that schedule`,
      ],
    };
  const { applied } = stored;
  const fields = [
    ...compare(definition, stored.definition),
    ...(applied && applied.pausedInFile !== paused
      ? [{ field: 'paused', from: applied.pausedInFile, to: paused }]
      : []),
    ...(applied ? [] : [{ field: 'memo', to: 'what was applied' }]),
    ...(stored.isStale
      ? [{ field: 'encryption', from: 'of an earlier version or key', to: 'of this version, with the first key' }]
      : []),
  ];
  const isDrift = stored.changedElsewhere && fields.some(({ field }) => field !== 'encryption');
  const pausedByPerson = stored.paused !== paused && (applied === undefined || applied.pausedInFile === paused);
  return {
    ...base,
    action: fields.length > 0 ? 'change' : 'unchanged',
    fields,
    notes: [
      ...warnings,
      ...(isDrift ? ['was changed by somebody else since it was last applied; apply puts it back'] : []),
      ...(pausedByPerson
        ? [`a person ${stored.paused ? 'paused' : 'resumed'} it, and apply leaves that${said(stored)}`]
        : []),
    ],
  };
}

const said = ({ note }: StoredSchedule) => (note ? ` (${note})` : '');

function compare(to: ScheduleDefinition, from: ScheduleDefinition): FieldChange[] {
  const [after, before] = [new Map(flat(to)), new Map(flat(from))];
  return [...new Set([...after.keys(), ...before.keys()])]
    .filter((field) => !isDeepStrictEqual(after.get(field), before.get(field)))
    .map((field) => ({
      field,
      ...(before.has(field) && { from: before.get(field) }),
      ...(after.has(field) && { to: after.get(field) }),
    }));
}

/** Leaves by their paths; lists are leaves. */
function flat(value: object, path = ''): [string, unknown][] {
  return Object.entries(value).flatMap(([key, inner]): [string, unknown][] =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) && !(inner instanceof Date)
      ? flat(inner, `${path}${key}.`)
      : inner === undefined
        ? []
        : [[`${path}${key}`, inner]],
  );
}

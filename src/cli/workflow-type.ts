import { closest } from 'fastest-levenshtein';
import { WORKFLOW_TYPES, type WorkflowType } from '../policy/workflow-types';
import { EXIT, Exit } from './exit';

/** The workflow type of this name. @throws Exit with the nearest right name */
export function workflowType(name: string): WorkflowType {
  const type = Object.hasOwn(WORKFLOW_TYPES, name) ? WORKFLOW_TYPES[name] : undefined;
  if (type) return type;
  const names = Object.keys(WORKFLOW_TYPES);
  throw new Exit(
    EXIT.badInput,
    `there is no workflow type '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}.`,
  );
}

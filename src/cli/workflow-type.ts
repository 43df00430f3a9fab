import { closest } from 'fastest-levenshtein';
import { isWorkflowName, WORKFLOW_TYPES, type WorkflowName } from '../runs/workflow-types';
import { EXIT, Exit } from './exit';

/** A workflow type by its name. @throws Exit with the nearest right name */
export function workflowName(name: string): WorkflowName {
  if (isWorkflowName(name)) return name;
  const names = Object.keys(WORKFLOW_TYPES);
  throw new Exit(
    EXIT.badInput,
    `there is no workflow type '${name}'; did you mean '${closest(name, names)}'? There are ${names.join(', ')}.`,
  );
}

/** `inputs.md`: what each workflow takes. */
import { WORKFLOW_TYPES } from '../../src/runs/workflow-types';
import { fieldsOf, fieldTable, legend, meaningOf } from './fields';
import { code, page } from './markdown';
import { sentence } from './words';

const sections = (): string[] =>
  Object.entries(WORKFLOW_TYPES).map(([type, { about, example, schema }]) =>
    [
      `## ${type}`,
      sentence(about),
      meaningOf(schema),
      `Example, which changes nothing: ${code(JSON.stringify(example))}`,
      fieldTable(fieldsOf(schema)),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
  );

export const inputs = (): string =>
  page(
    'Inputs of the workflows',
    'Each workflow takes one JSON object. A wrong field ends the run at once, before any call, with a sentence that names it. `a.b` is the field `b` of the object `a`, and `a[].b` that of each entry of the list `a`. A field whose default is empty may be left out, and nothing takes its place; a **required** one must be there wherever its object is.',
    legend(sections().join('\n')),
    ...sections(),
  );

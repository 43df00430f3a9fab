/**
 * How the service's paths end, by what its answers have shown. Frameworks differ, and a redirect that costs a read one more
 * request leaves unknown what became of a write: so it goes at once where reads of such paths had to go.
 */
import { type RouteName, routes } from './routes';

/** A list; one of its records; anything below one; what is no list's. Services declare these differently. */
type Shape = 'collection' | 'record' | 'below' | 'single';

/**
 * Whether paths end with a slash: each path of the document, where that is known, or `doubted` where the guess was met by a
 * 404; and for a first guess each shape, as the last one of it was seen to end.
 */
export type PathEndings = Map<string, boolean | 'doubted'>;

const paths = new Set(Object.values(routes).map(({ path }) => path));

function shapeOf(name: RouteName): Shape {
  const { path } = routes[name];
  if (path.endsWith('/{id}')) return 'record';
  if (path.includes('/{id}/')) return 'below';
  return paths.has(`${path}/{id}`) ? 'collection' : 'single';
}

/** What is below a record is guessed to end as records do, until more is known. */
function guess(endings: PathEndings, name: RouteName): boolean {
  const shape = shapeOf(name);
  return (endings.get(shape) ?? (shape === 'below' && endings.get('record'))) === true;
}

/** The path as it is to be asked for. */
export function ended(endings: PathEndings, name: RouteName, path: string): string {
  const known = endings.get(routes[name].path) ?? guess(endings, name);
  return known === true ? `${path}/` : path;
}

/** This address was answered, or is where the service sends such calls; the path without an ending is what was meant. */
export function learnEnding(endings: PathEndings, name: RouteName, path: string, address: string): void {
  const [beforeQuery] = address.split('?');
  if (beforeQuery !== path && beforeQuery !== `${path}/`) return;
  for (const key of [routes[name].path, shapeOf(name)]) endings.set(key, beforeQuery !== path);
}

/**
 * Nothing was found. A guess may be why: the next call goes to the path as the document has it, and the one after a 404 there
 * by the guess again, for the record itself may be what is not there.
 */
export function doubtEnding(endings: PathEndings, name: RouteName): void {
  const { path } = routes[name];
  if (endings.get(path) === 'doubted') endings.delete(path);
  else if (!endings.has(path) && guess(endings, name)) endings.set(path, 'doubted');
}

/**
 * How the service's paths end, by what its answers have shown. Frameworks differ, and a redirect that costs a read one more
 * request leaves unknown what became of a write: so it goes at once where reads of such paths had to go.
 */
import { type RouteName, routes } from './routes';

/** A list; one of its records; anything below one; what is no list's. Services declare these differently. */
type Shape = 'collection' | 'record' | 'below' | 'single';

/** The shapes whose paths are known to end with a slash, or to end without one. */
export type PathEndings = Map<Shape, boolean>;

const paths = new Set(Object.values(routes).map(({ path }) => path));

function shapeOf(name: RouteName): Shape {
  const { path } = routes[name];
  if (path.endsWith('/{id}')) return 'record';
  if (path.includes('/{id}/')) return 'below';
  return paths.has(`${path}/{id}`) ? 'collection' : 'single';
}

/** The path as it is to be asked for. What is below a record ends as records do, until more is known. */
export function ended(endings: PathEndings, name: RouteName, path: string): string {
  const shape = shapeOf(name);
  const slash = endings.get(shape) ?? (shape === 'below' && endings.get('record'));
  return slash ? `${path}/` : path;
}

/** This address was answered, or is where the service sends such calls; the path without an ending is what was meant. */
export function learnEnding(endings: PathEndings, name: RouteName, path: string, address: string): void {
  const [beforeQuery] = address.split('?');
  if (beforeQuery === path || beforeQuery === `${path}/`) endings.set(shapeOf(name), beforeQuery !== path);
}

/**
 * A webpack loader for the file that exports the workflows: `export { x } from './y'` loads './y' when somebody asks for
 * `x`. Each run loads its modules anew, and needs those of its own type alone; all of them cost it 8 ms and 0.8 MB.
 */
const REEXPORT =
  /var (\w+) = (require\("[^"]+"\));\nObject\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return \1\.(\w+); \} \}\);/g;

/** Other text than TypeScript makes of such lines stays as it is. The number of lines is the same, so a source map still fits. */
export const lazyExports = (code: string): string =>
  code.replace(
    REEXPORT,
    (_, __, load: string, name: string, member: string) =>
      `\nObject.defineProperty(exports, "${name}", { enumerable: true, get: function () { return ${load}.${member}; } });`,
  );

/** What a loader uses of webpack. */
interface Loader {
  callback(error: null, code: string, sourceMap: unknown): void;
}

/** As webpack calls it. */
export default function load(this: Loader, code: string, sourceMap: unknown): void {
  this.callback(null, lazyExports(code), sourceMap);
}

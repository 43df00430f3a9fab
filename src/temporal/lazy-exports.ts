/**
 * A webpack loader for the file that exports the workflows: `export { x } from './y'` loads './y' when somebody asks for
 * `x`. Each run loads its modules anew, and needs those of its own type alone; all of them cost it 8 ms and 0.8 MB.
 */
const REEXPORT =
  /var (\w+) = (require\("[^"]+"\));\s*Object\.defineProperty\(exports, "(\w+)", \{ enumerable: true, get: function \(\) \{ return \1\.(\w+); \} \}\);/g;

/** Other text than TypeScript makes of such lines stays as it is. */
export default function lazyExports(code: string): string {
  return code.replace(
    REEXPORT,
    (_, __, load: string, name: string, member: string) =>
      `Object.defineProperty(exports, "${name}", { enumerable: true, get: function () { return ${load}.${member}; } });`,
  );
}

/**
 * The workflows as one file for the worker, made once by `npm run build` (`node dist/src/temporal/bundle.js`). There are
 * two: the one for use with an encryption key also turns failure messages into payloads, inside the workflow sandbox,
 * where the environment cannot be read.
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type BundleOptions, bundleWorkflowCode, DefaultLogger, type WorkflowBundleOption } from '@temporalio/worker';
import { REQUIREMENT, type Requirement } from '../runs/origins';
import { VERSIONED } from '../runs/versioned-bundle';
import { programForWorkflows } from '../text/command';
import { ENCODED_FAILURES_PATH } from './encryption';
import { encryptionIsOn } from './encryption-keys';
import type { Env } from './environment';
import { packageRoot } from './package-root';

const bundleFile = (folder: string, encrypted: boolean): string =>
  path.join(folder, encrypted ? 'workflow-bundle.encrypted.js' : 'workflow-bundle.js');

/** Without an extension, for both `src/` and `dist/`. */
const PRELOAD_PATH = path.join(__dirname, '..', 'inputs', 'preload');

const locales = path.dirname(require.resolve('zod/v4/locales'));

type Config = Parameters<NonNullable<BundleOptions['webpackConfigHook']>>[0];

/** As stack traces name a module: from the package's folder, so that a published bundle tells nothing of who built it. */
const moduleName = ({ absoluteResourcePath }: { absoluteResourcePath: string }): string =>
  absoluteResourcePath.replace(packageRoot() + path.sep, '');

/**
 * A worker holds the bundle and its source map in memory, twice while it starts: without the sources, which the package
 * has, without columns, and of zod's fifty languages only English (which zod takes from its own file).
 */
const lean = (config: Config): Config => ({
  ...config,
  devtool: 'inline-nosources-cheap-module-source-map',
  output: { ...config.output, devtoolModuleFilenameTemplate: moduleName },
  resolve: {
    ...config.resolve,
    alias: {
      ...config.resolve?.alias,
      [path.join(locales, 'index.cjs')]: false,
      [path.join(locales, 'index.js')]: false,
    },
  },
});

const lazy = (config: Config, workflowsPath: string): Config => ({
  ...config,
  module: {
    ...config.module,
    rules: [...(config.module?.rules ?? []), { resource: workflowsPath, loader: require.resolve('./lazy-exports') }],
  },
});

/** The bundle that goes with `dataConverter(env)`. */
export const workflowBundlePath = (env: Env = process.env): string =>
  bundleFile(path.join(packageRoot(), 'dist'), encryptionIsOn(env));

/**
 * The bundle for a worker. The sandbox of workflows cannot read the environment: what they know of their worker comes before
 * the code, on its first line, since stack traces count lines. That is how people call the program, and:
 * @param isVersioned see `workflows/shared/versioned.ts`
 * @param required since when encryption is required
 */
export async function workflowBundle(
  { isVersioned = false, required }: { isVersioned?: boolean; required?: Requirement | undefined } = {},
  env: Env = process.env,
): Promise<WorkflowBundleOption> {
  const codePath = workflowBundlePath(env);
  const requirement =
    required && `globalThis[${JSON.stringify(REQUIREMENT)}]=${JSON.stringify(JSON.stringify(required))};`;
  const facts = `${programForWorkflows()}${isVersioned ? `globalThis.${VERSIONED}=true;` : ''}${requirement ?? ''}`;
  return facts === '' ? { codePath } : { code: `${facts}${await readFile(codePath, 'utf8')}` };
}

/**
 * Bundles what `workflowsPath` exports into `folder`. Throws when the code imports a Node built-in, which a workflow has
 * no use for, or does not resolve. Returns the files.
 * @param interceptors modules of workflow interceptors
 */
export async function bundleWorkflows(
  workflowsPath: string,
  folder: string,
  interceptors: readonly string[] = [],
): Promise<string[]> {
  const problems: string[] = [];
  const logger = new DefaultLogger('WARN', ({ message }) => problems.push(message));
  const files: string[] = [];
  for (const encrypted of [false, true]) {
    const { code } = await bundleWorkflowCode({
      workflowsPath,
      logger,
      preloadModules: [PRELOAD_PATH],
      workflowInterceptorModules: [...interceptors],
      webpackConfigHook: (config) => lazy(lean(config), workflowsPath),
      ...(encrypted && { failureConverterPath: ENCODED_FAILURES_PATH }),
    }).catch((cause: unknown) => {
      throw new Error([cause instanceof Error ? cause.message : String(cause), ...problems].join('\n'), { cause });
    });
    const file = bundleFile(folder, encrypted);
    await writeFile(file, code);
    files.push(file);
  }
  return files;
}

if (require.main === module) {
  const dist = path.join(packageRoot(), 'dist');
  const workflows = path.join(dist, 'workflows');
  bundleWorkflows(path.join(workflows, 'index.js'), dist, [path.join(workflows, 'interceptors.js')]).then(
    (files) => console.log(`workflows bundled: ${files.map((file) => path.relative(packageRoot(), file)).join(', ')}`),
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    },
  );
}

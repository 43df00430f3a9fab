/** A real Chromium for tests of what a person sees in a browser. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** @throws Error that says how to install one, when none is on PATH */
export function chromiumOnPath(path = process.env.PATH ?? ''): string {
  for (const name of NAMES)
    for (const folder of path.split(delimiter).filter((entry) => entry !== ''))
      if (isExecutable(join(folder, name))) return join(folder, name);
  throw new Error(
    `This test needs Chromium: none of ${NAMES.join(', ')} is on PATH (Debian: apt-get install chromium).`,
  );
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts it headless; close it after the test. Its sandbox does not work for root, whose pages are the tests' own. */
export const launchChromium = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumOnPath(), chromiumSandbox: process.getuid?.() !== 0, ...options });

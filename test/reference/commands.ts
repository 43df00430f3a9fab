/** `commands.md`: every command and option, as `--help` shows them. */
import type { Argument, Command, Option } from 'commander';
import { program } from '../../src/cli/main';
import { block, code, page, table } from './markdown';
import { sentence } from './words';

/** A command, the words before it, and what it has below. */
export interface Shown {
  name: string;
  command: Command;
}

/** Without those that only hold others. */
export const commands = (of: Command = program): Shown[] =>
  of.commands.flatMap((command) =>
    command.commands.length > 0 ? commands(command) : [{ name: fullName(command), command }],
  );

function fullName(command: Command): string {
  const { parent } = command;
  return parent === null ? command.name() : `${fullName(parent)} ${command.name()}`;
}

export const optionsOf = (command: Command): Option[] => command.options.filter(({ hidden }) => !hidden);

/** What commander writes below the options. */
function afterHelp(command: Command): string {
  let text = '';
  const [before, { write }] = [command.configureOutput(), { write: (more: string) => (text += more) }];
  command.configureOutput({ ...before, writeOut: write });
  command.outputHelp();
  command.configureOutput(before);
  const [, after = ''] = text.split(command.helpInformation());
  return after.trim();
}

const EXIT_CODES = /\n*Exit codes:\n(?: +\d+ .*\n?)+$/;

function section(level: string, command: Command, name: string): string {
  const operands = command.registeredArguments.map((one: Argument) => ` ${bracketed(one)}`).join('');
  const about = command.registeredArguments.filter(({ description }) => description);
  const more = afterHelp(command).replace(EXIT_CODES, '');
  return [
    `${level} ${name}`,
    sentence(command.description()),
    command.commands.length > 0 ? '' : `    ${name}${operands}${command.options.length > 0 ? ' [options]' : ''}`,
    rows([
      ...about.map((one): [string, string, string] => [bracketed(one), one.description, '']),
      ...optionsOf(command).map((option): [string, string, string] => [
        option.flags,
        option.description,
        defaultOf(option),
      ]),
    ]),
    more === '' ? '' : block(more),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const bracketed = (one: Argument) => (one.required ? `<${one.name()}>` : `[${one.name()}]`);

function defaultOf({ defaultValue, defaultValueDescription, argChoices, mandatory }: Option): string {
  const given = defaultValue === undefined ? (mandatory ? '**required**' : '') : code(String(defaultValue));
  const explained = defaultValueDescription ?? '';
  const choices = argChoices ? `one of ${argChoices.join(', ')}` : '';
  return [explained || given, choices].filter((part) => part !== '').join('; ');
}

const rows = (lines: readonly (readonly [string, string, string])[]): string =>
  lines.length === 0
    ? ''
    : table(
        ['Argument or option', 'Meaning', 'Default'],
        lines.map(([what, meaning, preset]) => [code(what), sentence(meaning), preset]),
      );

const sections = (of: Command, level: string): string[] =>
  of.commands.flatMap((command) => [section(level, command, fullName(command)), ...sections(command, `${level}#`)]);

export const commandsPage = (): string =>
  page(
    'Commands',
    'Run them with `npx audit-runner …`, or `audit-runner …` where the package is installed globally. `--help` after any command shows the same. How they end is in [exit-codes.md](exit-codes.md).',
    '## Options of all commands',
    rows(optionsOf(program).map((option) => [option.flags, option.description, defaultOf(option)] as const)),
    '## All commands',
    table(
      ['Command', 'What it does'],
      commands().map(({ name, command }) => [
        `[${code(name)}](#${name.replaceAll(' ', '-')})`,
        sentence(command.description()),
      ]),
    ),
    ...sections(program, '##'),
  );

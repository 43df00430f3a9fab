import { ConfigError } from '../../src/config/problems';
import { uiUrlOf } from '../../src/temporal/ui-url';

const urlOf = (TEMPORAL_UI_URL?: string) => uiUrlOf({ TEMPORAL_UI_URL });

test('the address of the Web UI is taken without its last slashes; a variable set to nothing says nothing', () => {
  expect([undefined, ''].map(urlOf)).toEqual([undefined, undefined]);
  expect(['http://localhost:8080/', 'https://ui.example/temporal//'].map(urlOf)).toEqual([
    'http://localhost:8080',
    'https://ui.example/temporal',
  ]);
});

test.each([
  'ui.example',
  'localhost:8080',
  'ftp://ui.example',
  'https://ada:word@ui.example',
  'https://word@ui.example',
])('%s is refused with the name of the variable, and not quoted', (address) => {
  expect(() => urlOf(address)).toThrow(ConfigError);
  expect(() => urlOf(address)).toThrow('TEMPORAL_UI_URL: ');
  expect(() => urlOf(address)).not.toThrow('word@');
});

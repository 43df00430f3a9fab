/** The environment variables that the command line and the worker read: names and meanings, for `--help` and the reference. */
export const VARIABLES = {
  AGENT_API_BASE_URL: "address of the Agent API, for the account 'default', unless the file has one of that name",
  AGENT_API_TOKEN: "the token of the account 'default'",
  AGENT_API_TOKEN_FILE: 'or a file that holds it; read again when it changes',
  AUDIT_RUNNER_CONFIG: 'the configuration file; else ./audit-runner.yaml, if it is there',
  AUDIT_RUNNER_COMMAND:
    "how this program is called where its commands are told, such as 'docker compose exec worker node bin/audit-runner.js'; else 'npx audit-runner'",
  AUDIT_RUNNER_ENCRYPTION_KEY:
    "encrypts what Temporal stores: base64 of 32 bytes, or several, separated by commas; the first one encrypts (to change it: 'Change the key' in docs/administrators.md)",
  AUDIT_RUNNER_ENCRYPTION_KEY_FILE:
    "or a file that holds them, separated by commas or line ends; a file with the word 'off' for none",
  AUDIT_RUNNER_ENCRYPTION_KEY_COMMAND: 'or a command that prints them; it is run once by each process',
  AUDIT_RUNNER_ENCRYPTION_REQUIRE:
    "'true': workers take nothing that is not encrypted; wins over encryption.require of the file",
  AUDIT_RUNNER_CODEC_SECRET:
    "the secret in the address of 'codec-server', 16 characters or more; else a new one each time",
  AUDIT_RUNNER_CODEC_SECRET_FILE: 'or a file that holds it',
  AUDIT_RUNNER_METRICS_ADDRESS:
    "the IP address and port where Prometheus may fetch the worker's metrics, such as 0.0.0.0:9464; else nowhere",
  AUDIT_RUNNER_HEALTH_ADDRESS: 'where the worker answers /healthz and /readyz, for example 0.0.0.0:8080; else nowhere',
  AUDIT_RUNNER_DEPLOYMENT:
    'the name of a worker deployment: the workflows of the worker are versioned; else they are not',
  AUDIT_RUNNER_BUILD_ID: 'its build in that deployment; else the version of the package',
  AUDIT_RUNNER_HOLD_PATCHES:
    "'true' while workers of the version before run as well, or may again: runs take no change that those cannot replay",
  STORAGE_URL: 'where documents and results are: a folder or a bucket; wins over storageUrl of the file',
  LOG_LEVEL: "how much the worker's log tells, such as debug; wins over log.level of the file",
  TEMPORAL_ADDRESS: "the Temporal server; else the one that 'dev' runs in this folder, else 127.0.0.1:7233",
  TEMPORAL_NAMESPACE: "its namespace; else 'default'",
  TEMPORAL_API_KEY: 'its API key',
  TEMPORAL_TLS: "'true' or 'false'; more by TEMPORAL_TLS_…, as the Temporal CLI reads them",
  TEMPORAL_PROFILE: "a profile of the Temporal CLI's configuration file",
  TEMPORAL_CONFIG_FILE: "that file; else the Temporal CLI's own",
  TEMPORAL_UI_URL: 'where its Web UI is, for links',
  AWS_ACCESS_KEY_ID: 'with AWS_SECRET_ACCESS_KEY and perhaps AWS_SESSION_TOKEN: how an S3 storage is entered',
  AWS_SHARED_CREDENTIALS_FILE:
    "or a file of the AWS tools that holds them, with AWS_PROFILE where they are not of 'default'",
  AWS_REGION: 'its region, where its URL names none',
  AWS_ENDPOINT_URL_S3: 'its server, or AWS_ENDPOINT_URL, where its URL names none',
  NO_COLOR: 'any value: output without colours',
} as const;

const WIDTH = Math.max(...Object.keys(VARIABLES).map((name) => name.length));

export const ENVIRONMENT_HELP = `Environment:\n${Object.entries(VARIABLES)
  .map(([name, meaning]) => `  ${name.padEnd(WIDTH)}  ${meaning}`)
  .join('\n')}`;

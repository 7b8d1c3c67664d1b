import { exitCodesHelp, rows } from './help-text.ts'

/** Variables that the command reads. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['HOOKLINE_API', 'The service to talk to, like --api. Without either: the service of the last login.'],
  ['HOOKLINE_KEY', 'An API key or an access token, used instead of a stored sign-in.'],
  ['HOOKLINE_KEY_FILE', 'A file with such a key, for systems that provide secrets as files.'],
  [
    'HOOKLINE_ALLOW_HTTP',
    'If 1, keys and passwords are sent over plain http to other machines too, where anybody on the way can read them.',
  ],
  [
    'HOOKLINE_NODE',
    'The RPC of a node, such as http://user:password@127.0.0.1:8332, to read transactions from instead of a service.',
  ],
  ['HOOKLINE_DEBUG', 'If not empty, failures include a stack trace, without keys and tokens.'],
  ['NO_COLOR', 'If not empty, no colours.'],
  ['FORCE_COLOR', 'If not empty and not 0, colours in pipes too. It never enables progress lines that are redrawn.'],
  ['TERM', 'If dumb, neither colours nor progress lines that are redrawn.'],
  ['XDG_CONFIG_HOME', 'Folder of hookline/credentials.json and hookline/config.json. Default: ~/.config.'],
  ['XDG_STATE_HOME', 'Folder of hookline/, which stores the orders of this machine. Default: ~/.local/state.'],
  ['XDG_CACHE_HOME', 'Folder of hookline/, which caches verified pieces of an unfinished get. Default: ~/.cache.'],
]

const JSON_TEXT = `With --json, stdout is one document, on success, failure and Ctrl-C, at a terminal and in a pipe:

  {"command": "put", "ok": true, "exitCode": 0, "result": {…}, "error": null}
  {"command": "put", "ok": false, "exitCode": 9, "result": null, "error":
    {"code": "too_dear", "message": "…", "hint": null, "requestId": null, "retryAfter": null, "problems": []}}

A "result" beside an error lists what succeeded of a put whose other files failed.
Amounts are decimal text in coins ("0.00113273"), sizes bytes, times Unix seconds.

Lists (ls, keys) are one object a line; if a list fails, its last
line is the document above.

With --jsonl, stdout is events as they happen, one object a line, each with a "type":
  progress   step, done, total, unit; "ended" on the last of a step
  payment    address, amount, uri, expiresAt
  state      the new state of an item or a payment
  result     the last line: the document above

Fields are added over time and never changed or removed.`

/** The topics of `hookline help` besides the commands. */
export const TOPICS: Readonly<Record<string, () => string>> = {
  json: () => JSON_TEXT,
  'exit-codes': exitCodesHelp,
  environment: () => ['Environment:', ...rows(ENVIRONMENT)].join('\n'),
}

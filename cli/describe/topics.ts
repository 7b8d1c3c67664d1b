import { exitCodesHelp, rows } from './help-text.ts'

/** Variables that the command reads. */
export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['HOOKLINE_API', 'The service to talk to, like --api. Without either: the service of the last login.'],
  ['HOOKLINE_KEY', 'An API key or an access token, used instead of a stored sign-in.'],
  ['HOOKLINE_KEY_FILE', 'A file that holds such a key, for machines that hand out secrets as files.'],
  [
    'HOOKLINE_ALLOW_HTTP',
    'When 1, keys and passwords go by plain http to other machines too: anybody on the way reads them.',
  ],
  [
    'HOOKLINE_NODE',
    'The RPC of a node, such as http://user:password@127.0.0.1:8332, that transactions are read from in place of a service.',
  ],
  ['HOOKLINE_DEBUG', 'When not empty, failures come with a trace; keys and tokens never stand in it.'],
  ['NO_COLOR', 'When not empty, no colours.'],
  ['FORCE_COLOR', 'When not empty and not 0, colours in pipes too. It never turns on lines that are drawn again.'],
  ['TERM', 'When dumb, neither colours nor lines that are drawn again.'],
  ['XDG_CONFIG_HOME', 'Where hookline/credentials.json and hookline/config.json lie; without it ~/.config.'],
  ['XDG_STATE_HOME', 'Where hookline/ keeps what has been begun; without it ~/.local/state.'],
  ['XDG_CACHE_HOME', 'Where hookline/ keeps verified pieces of an unfinished get; without it ~/.cache.'],
]

const JSON_TEXT = `With --json, stdout holds one document, on success, failure and Ctrl-C, at a terminal and in a pipe:

  {"command": "put", "ok": true, "exitCode": 0, "result": {…}, "error": null}
  {"command": "put", "ok": false, "exitCode": 9, "result": null, "error":
    {"code": "too_dear", "message": "…", "hint": null, "requestId": null, "retryAfter": null, "problems": []}}

"result" may stand beside an error: what succeeded of a put whose other files failed.
Amounts are decimal text in coins ("0.00113273"), sizes bytes, times Unix seconds.

Lists (ls, keys) are one object a line, as they come; where a list fails, its last
line is the document above.

With --jsonl, stdout holds events as they come, one object a line, each with a "type":
  progress   step, done, total, unit; "ended" on the last of a step
  payment    address, amount, uri, expiresAt
  state      what an item or a payment became
  result     the last line: the document above

Fields are added over time and never changed or removed.`

/** The topics of `hookline help` besides the commands. */
export const TOPICS: Readonly<Record<string, () => string>> = {
  json: () => JSON_TEXT,
  'exit-codes': exitCodesHelp,
  environment: () => ['Environment:', ...rows(ENVIRONMENT)].join('\n'),
}

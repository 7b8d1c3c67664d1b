import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, inject, it } from 'vitest'
import { describeStep, Progress, type StepState } from '../../cli/output/progress.ts'
import { runCommandLine } from '../../cli/run/run-command-line.ts'
import { COMMANDS } from '../../cli/table/command-table.ts'
import type { Route } from './api-server.ts'
import { contextOf, sink } from './context-of.ts'
import { EVERY_COMMAND, startEverything } from './every-command.ts'

const LISTS = new Set(COMMANDS.filter(({ list }) => list).map(({ name }) => name))
const argsOf = (name: string) => EVERY_COMMAND[name] ?? []
/** What waits for its payment is pending. */
const endOf = (name: string) => (name === 'put' || name === 'pay' ? 8 : 0)
const FIELDS = ['command', 'ok', 'exitCode', 'result', 'error']
const ERROR_FIELDS = ['code', 'message', 'hint', 'requestId', 'retryAfter', 'problems']

/** The one document, or the last of a list's lines. */
function documentOf(stdout: string, list: boolean) {
  expect(stdout.endsWith('\n')).toBe(true)
  const lines = stdout.trimEnd().split('\n')
  if (!list) expect(lines).toHaveLength(1)
  return lines.map((line) => JSON.parse(line)).at(-1)
}

it('command 22: every command of the table is among those tried here', () => {
  expect(Object.keys(EVERY_COMMAND)).toEqual(COMMANDS.map(({ name }) => name))
})

it.each(COMMANDS.map(({ name }) => name))('command 22: %s --json writes one document on success', async (name) => {
  const { user } = await startEverything()
  const { code, stdout, stderr } = await user.run([...argsOf(name), '--json'])
  expect(code, stderr).toBe(endOf(name))
  const document = documentOf(stdout, LISTS.has(name))
  if (LISTS.has(name)) expect(document).toHaveProperty(name === 'site versions' ? 'number' : 'id')
  else {
    expect(Object.keys(document)).toEqual(FIELDS)
    expect(document).toMatchObject({ command: name, ok: code === 0, exitCode: code })
  }
})

it.each(COMMANDS.map(({ name }) => name))('command 22: %s --json writes the same on failure', async (name) => {
  const { api, user } = await startEverything()
  const { code, stdout } = await user.run([...argsOf(name), '--no-such-option', '--json'])
  const document = documentOf(stdout, false)
  expect(Object.keys(document)).toEqual(FIELDS)
  expect(document).toMatchObject({ command: name, ok: false, exitCode: code, result: null, error: { code: 'usage' } })
  expect(Object.keys(document.error)).toEqual(ERROR_FIELDS)
  expect(api.seen).toEqual([])
})

const ASKING = COMMANDS.map(({ name }) => name).filter(
  (name) => !['status', 'logout', 'help', 'completion'].includes(name),
)

it.each(ASKING)('command 22: %s --json writes the same when the service refuses', async (name) => {
  const { api, user } = await startEverything()
  api.routes.unshift(...['GET', 'POST', 'PATCH', 'DELETE'].map((method): Route => [method, /./, refusal]))
  const { code, stdout } = await user.run([...argsOf(name), '--json'])
  const document = documentOf(stdout, LISTS.has(name))
  expect(document).toMatchObject({ command: name, ok: false, exitCode: code })
  expect(Object.keys(document)).toEqual(FIELDS)
  expect(code).not.toBe(0)
})

const refusal = () => ({ status: 418, json: { code: 'teapot', message: 'No coffee.' } })

it.each(ASKING)('command 22: %s --json writes the same at Ctrl-C', async (name) => {
  const { api, user } = await startEverything()
  const ran = await user.run([...argsOf(name), '--json'], {
    onStart(child) {
      api.fate = () => {
        child.kill('SIGINT')
        return new Promise(() => undefined)
      }
    },
  })
  expect(documentOf(ran.stdout, LISTS.has(name))).toMatchObject({
    command: name,
    ok: false,
    exitCode: 130,
    error: { code: 'cancelled' },
  })
  expect(ran.code).toBe(130)
})

it.each(COMMANDS.map(({ name }) => name))(
  'command 22, 24: %s --json is the same at a terminal, without a code in it',
  async (name) => {
    const { api, user } = await startEverything()
    const [stdout, stderr] = [sink(true), sink(true)]
    const service = { HOOKLINE_API: api.url, HOOKLINE_KEY: 'key', HOOKLINE_NODE: api.url }
    const env = { HOME: user.home, ...service, TERM: 'xterm-256color' }
    const words = name.split(' ').length
    const place = (word: string, index: number) =>
      index >= words && /^(a\.txt|letter\.txt|letter|letter\.hookline|pinned\.json|site)$/.test(word)
        ? join(user.home, word)
        : word
    const argv = [...argsOf(name).map(place), '--json']
    const code = await runCommandLine({ ...contextOf({}), argv, env, stdin: Readable.from([]), stdout, stderr })
    expect(code, stderr.text()).toBe(endOf(name))
    documentOf(stdout.text(), LISTS.has(name))
    expect(stdout.text()).not.toContain('\u001b')
  },
)

it.each(COMMANDS.map(({ name }) => name))('%s ends with 74 and a sentence where stdout is full', async (name) => {
  const { user } = await startEverything()
  for (const more of [[], ['--json']]) {
    const { code, stderr } = await user.runInShell([...argsOf(name), ...more], { behind: '> /dev/full' })
    // What writes nothing to stdout has nothing to lose.
    expect([0, 74]).toContain(code)
    if (code === 74) expect(stderr).toContain('ENOSPC')
    if (more.length > 0) expect(code).toBe(74)
    expect(stderr).not.toMatch(/^ +at /m)
  }
})

it('--version ends with 74 where stdout is full', async () => {
  const { user } = await startEverything()
  expect(await user.runInShell(['--version'], { behind: '> /dev/full' })).toMatchObject({ code: 74 })
})

it.each(ASKING)('%s --json writes the same at SIGTERM, and ends with 143', async (name) => {
  const { api, user } = await startEverything()
  const ran = await user.run([...argsOf(name), '--json'], {
    onStart(child) {
      api.fate = () => {
        child.kill('SIGTERM')
        return new Promise(() => undefined)
      }
    },
  })
  expect(documentOf(ran.stdout, LISTS.has(name))).toMatchObject({ exitCode: 143, error: { code: 'cancelled' } })
  expect(ran.code).toBe(143)
})

it('command 23: lists are one object a line, and a list that breaks off says so in its last line', async () => {
  const { api, user } = await startEverything()
  expect(
    (await user.run(['ls', '--json'])).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).state),
  ).toEqual(['unpaid', 'unpaid'])
  let pages = 0
  api.routes.unshift([
    'GET',
    /^\/v0\/item(\?.*)?$/,
    async (seen, match) => {
      if (++pages > 1) return refusal()
      const page = await api.routes.find(
        ([method, path], index) => index > 0 && method === 'GET' && path.test(seen.path),
      )?.[2](seen, match)
      return { json: { ...Object(page?.json), cursor: 'next' } }
    },
  ])
  const lines = (await user.run(['ls', '--json'])).stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toHaveLength(3)
  expect(lines[2]).toMatchObject({ command: 'ls', ok: false, error: { code: 'teapot' } })
})

it('command 23: --jsonl writes events as they come, the result last', async () => {
  const { user } = await startEverything()
  const { stdout } = await user.run([...argsOf('put'), '--jsonl'])
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.map(({ type }) => type)).toContain('progress')
  expect(events.at(-1)).toMatchObject({ type: 'result', command: 'put', exitCode: 8 })
  expect(new Set(events.filter(({ type }) => type === 'progress').map(({ step }) => step))).toEqual(
    new Set(['hashing', 'sending', 'merging', 'paying']),
  )
})

it.each([
  ['a pipe', {}],
  ['a pipe of a terminal', { TERM: 'xterm-256color' }],
  ['TERM=dumb', { TERM: 'dumb' }],
  ['NO_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }],
])('command 24: sends no code into %s, whatever is run', async (_where, env) => {
  const { user } = await startEverything()
  for (const name of ['put', 'ls', 'get', 'help', 'rm']) {
    const { stdout, stderr } = await user.run(argsOf(name), { env })
    expect(stdout + stderr).not.toContain('\u001b')
  }
  const { stdout, stderr } = await user.run(['pt'], { env })
  expect(stdout + stderr).not.toContain('\u001b')
})

it('command 24: FORCE_COLOR turns colour on in a pipe, --no-color off again, and neither draws a line anew', async () => {
  const { user } = await startEverything()
  const env = { FORCE_COLOR: '1' }
  const colored = await user.run(['put', 'nothing', '--to', 'bitcoin', '--max-fee', '1'], { env })
  expect(colored.stderr).toContain('\u001b[31m')
  expect(
    (await user.run(['put', 'nothing', '--to', 'bitcoin', '--max-fee', '1', '--no-color'], { env })).stderr,
  ).not.toContain('\u001b')
  const put = await user.run(argsOf('put'), { env })
  expect(put.stderr.includes('\r') || put.stderr.includes('\u001b[K')).toBe(false)
})

it('command 24: writes names and messages of strangers without their codes', async () => {
  const { api, user } = await startEverything()
  api.routes.unshift([
    'GET',
    /^\/v0\/user$/,
    () => ({ status: 403, json: { code: 'x', message: 'red \u001b[31m alert' } }),
  ])
  const { stdout, stderr } = await user.run(['whoami'])
  expect(stdout + stderr).not.toContain('\u001b')
  expect(stderr).toContain('alert')
})

function progressOf(animated: boolean) {
  const stderr = sink(animated)
  let time = 0
  const events: unknown[] = []
  const progress = new Progress({ stderr, animated, now: () => time, onEvent: (event) => events.push(event) })
  const update = (state: StepState, seconds: number) => {
    time += seconds * 1000
    progress.update(state)
  }
  return { progress, update, stderr, events }
}

it('command 25: off a terminal writes a line at each start and end, and one every 30 s', () => {
  const { progress, update, stderr } = progressOf(false)
  for (let second = 0; second <= 65; second++)
    update({ step: 'sending', done: second, total: 100, unit: 'items' }, second === 0 ? 0 : 1)
  update({ step: 'merging', done: 0, total: 2, unit: 'files' }, 1)
  progress.end()
  expect(stderr.text().trimEnd().split('\n')).toEqual([
    'sending    0 of 100 items',
    'sending    30 of 100 items',
    'sending    60 of 100 items',
    'sending    65 of 100 items',
    'merging    0 of 2 files',
    'merging    0 of 2 files',
  ])
})

it('command 25: a sentence in between brings no line again off a terminal', () => {
  const { progress, update, stderr } = progressOf(false)
  update({ step: 'paying', done: 0, total: 1, unit: 'items' }, 0)
  progress.clear()
  update({ step: 'paying', done: 0, total: 1, unit: 'items' }, 1)
  progress.end()
  expect(stderr.text().trimEnd().split('\n')).toEqual(['paying     0 of 1 item', 'paying     0 of 1 item'])
})

it('command 25: never shows more than was counted: sizes are rounded down', () => {
  expect(describeStep({ step: 'sending', done: 1_073_741_823, total: 1_073_741_824, unit: 'bytes' })).toBe(
    'sending    1023.9 MiB of 1.0 GiB',
  )
})

it('names a single thing in the singular', () => {
  expect(describeStep({ step: 'paying', done: 0, total: 1, unit: 'items' })).toBe('paying     0 of 1 item')
  expect(describeStep({ step: 'comparing', done: 1, unit: 'files' })).toBe('comparing  1 file')
})

it('command 25: counts hashing, sending, merging and paying, and is at the whole only when the service has confirmed', async () => {
  const { api, user } = await startEverything()
  api.fake.balance = 0
  const { stderr } = await user.run(argsOf('put'))
  for (const step of ['hashing', 'sending', 'merging', 'paying'])
    expect(stderr).toMatch(new RegExp(`^${step} +[\\d.]+`, 'm'))
  expect(stderr).toContain('paying     0 of 1 item')
  expect(stderr).not.toContain('paying     1 of 1')
  expect(stderr).not.toContain('%')
})

it.each([
  [['ls'], 'items', 'There are no items.'],
  [['ls', '--status', 'unpaid'], 'items', 'There are no such items.'],
  [['keys'], 'keys', 'There are no API keys.'],
])('hookline %j names what an empty list has none of', async (args, field, sentence) => {
  const { api, user } = await startEverything()
  api.routes.unshift(['GET', /^\/v0\/(item|user\/keys)/, () => ({ json: { [field]: [] } })])
  expect((await user.run(args)).stderr.trimEnd()).toBe(sentence)
})

it('command 29: a slow reader gets all of 1 MiB of JSON', async () => {
  const { api, user } = await startEverything()
  const items = Array.from({ length: 3000 }, (_, index) => index)
  api.routes.unshift([
    'GET',
    /^\/v0\/item(\?.*)?$/,
    () => ({ json: { items: items.map((index) => ({ ...LISTED, name: `${index} ${'x'.repeat(300)}` })) } }),
  ])
  const child = spawn(process.execPath, [inject('commandFile'), 'ls', '--json'], {
    env: { HOME: user.home, HOOKLINE_API: api.url, HOOKLINE_KEY: 'key' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  for await (const piece of child.stdout) {
    text += String(piece)
    if (text.length < 200_000) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  expect(text.length).toBeGreaterThan(1_048_576)
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).name.split(' ')[0]),
  ).toEqual(items.map(String))
})

const LISTED = {
  ...{
    id: 'ab'.repeat(12),
    mimetype: 'text/plain',
    blockchain: 'IPFS',
    status: '200 OK',
    message: null,
    size: 1,
    storedSize: 1,
  },
  ...{ cid: 'bafy', transactions: null, written: 0, confirmed: 0, createdAt: 1, embed: null },
  links: { content: 'https://x/', web: null, site: 'https://x/' },
}

it('command 29: `ls | head -1` ends without a trace', async () => {
  const { api, user } = await startEverything()
  api.routes.unshift([
    'GET',
    /^\/v0\/item(\?.*)?$/,
    () => ({ json: { items: Array.from({ length: 5000 }, () => ({ ...LISTED, name: 'n'.repeat(300) })) } }),
  ])
  const { stdout, stderr } = await user.runInShell(['ls'], { behind: '| head -1; echo "$PIPESTATUS"' })
  expect(stdout.trim().split('\n')).toHaveLength(2)
  expect(stdout).toMatch(/\n0\n$/)
  expect(stderr).toBe('')
})

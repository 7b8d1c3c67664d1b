import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { DEPLOY_SETTINGS } from '../../scripts/deploy/check-deploy.ts'
import { VARIABLES } from '../../worker/platform/config/config.ts'
import { documentCommands, operatePages } from '../kit/document-commands.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const pages = operatePages()

/** Which test runs a command of the pages. */
const TESTED: readonly (readonly [command: RegExp, test: string])[] = [
  [/^npm run deploy( -- --check)?$/, 'tests/scripts/deploy/against-api.test.ts'],
  [/^npm run deploy -- --env staging$/, 'tests/scripts/deploy/deploy.test.ts'],
  [/^npm run rollback/, 'tests/scripts/deploy/against-api.test.ts'],
  [/^npm run d1( |$)/, 'tests/scripts/deploy/against-api.test.ts'],
  [/^npm run restore:file /, 'tests/scripts/deploy/against-api.test.ts'],
  [/^npm run zones/, 'tests/scripts/deploy/set-up-zones.test.ts'],
  [/^npm run probe/, 'tests/e2e/probe.test.ts'],
  [/^npm run backup /, 'tests/scripts/backup/against-api.test.ts'],
  [/^npm run restore /, 'tests/scripts/backup/against-api.test.ts'],
  [/^npm run admin -- reconcile/, 'tests/scripts/admin/request-reconciliation.test.ts'],
  [/^npm run admin -- (you@|…)/, 'tests/scripts/admin/make-admin.test.ts'],
  [/^npm run checkpoint /, 'tests/scripts/checkpoint.test.ts'],
  [/^npm run build:package/, 'tests/package/package.test.ts'],
  [/^npm run docs:limits$/, 'tests/docs/limits.test.ts'],
  [/^npm run docs:logs$/, 'tests/docs/log-codes.test.ts'],
  [/^(bitcoin-cli |for n in )/, 'tests/node/document-calls.test.ts'],
  [/^npm run docs:cost$/, 'tests/docs/cost.test.ts'],
  [/^npm run build:bill$/, 'tests/scripts/bill-of-materials.test.ts'],
  [/^(TOKEN=\$\()?curl /, 'tests/e2e/operate-commands.test.ts'],
  [/^node -e /, 'tests/e2e/operate-commands.test.ts'],
]

/** Which no test runs, and why. */
const NOT_TESTED: readonly (readonly [command: RegExp, because: string])[] = [
  [/^npm ci/, 'it downloads every package; each run of the tests begins with it'],
  [/^npm run bench:cost$/, 'it takes a quarter of an hour of real time'],
  [/^npm run bench -- --only server$/, 'its figures are of an idle machine'],
  [/^npm start$/, 'it takes fixed ports; tests start the same parts on free ones (tests/kit/start-worker.ts)'],
  [/^git /, 'it changes this checkout'],
  [/^(cp |\$EDITOR )/, 'a person writes the file'],
  [/^age-keygen /, 'a program of age; the tests make such keys with its library'],
  [/^sha256sum /, 'a program of the system; a test writes and reads its format (take-copy.test.ts)'],
  [/^npx wrangler login$/, 'it asks in a browser'],
  [/^npx wrangler (tail|secret delete) /, 'the fake API has neither logs nor single secrets'],
]

/** What each runbook is about, made to happen in tests: those, or why there is none. */
const RUNBOOKS: Readonly<Record<string, readonly string[] | string>> = {
  'abuse.md': ['tests/e2e/moderation.test.ts', 'tests/worker/features/accounts/enforce-budgets.test.ts'],
  'cost.md': 'a bill is of Cloudflare; what it is of is metered by bench/meter-costs.ts',
  'database-full.md': [
    'tests/worker/features/health/database-size.test.ts',
    'tests/scripts/deploy/against-api.test.ts',
  ],
  'leaked-rpc-password.md': [
    'tests/scripts/deploy/preflight.test.ts',
    'tests/worker/features/operate/restored-payouts.test.ts',
  ],
  'leaked-signing-key.md': ['tests/worker/features/auth/key-rotation.test.ts', 'tests/e2e/operate-commands.test.ts'],
  'mail-down.md': [
    'tests/worker/features/accounts/mail-delivery.test.ts',
    'tests/worker/features/operate/alerts/watch-signs.test.ts',
  ],
  'node-behind.md': ['tests/worker/agent/follow-chain.test.ts', 'tests/worker/features/operate/accept-chain.test.ts'],
  'wallet-lost.md': [
    'tests/worker/features/operate/restore-matrix.test.ts',
    'tests/worker/features/operate/stop-chain.test.ts',
  ],
}

describe('the pages for operators', () => {
  it.each([...pages.keys()])('%s has at most 300 lines', (page) => {
    expect(pages.get(page)?.split('\n').length).toBeLessThanOrEqual(301)
  })

  it('begin with a first deployment of at most 8 commands and 15 steps by hand', () => {
    const text = pages.get('cloudflare.md') ?? ''
    const [, block = ''] = /```sh\n(npm ci\n[\s\S]*?)```/.exec(text) ?? []
    const commands = block.trim().split('\n')
    const steps = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))
    expect(commands.length).toBeLessThanOrEqual(8)
    expect(steps).toEqual(steps.map((_, index) => index + 1))
    expect(steps.length).toBeLessThanOrEqual(15)
    expect(text).toContain(
      `${IN_LETTERS[commands.length]} commands and ${IN_LETTERS[steps.length]?.toLowerCase()} steps`,
    )
  })

  it('name only commands that a test runs, or that stand in the list of those that none can, with the reason', () => {
    const rows = [...TESTED, ...NOT_TESTED]
    const commands = documentCommands()
    const unlisted = commands.filter(({ command }) => rows.filter(([pattern]) => pattern.test(command)).length !== 1)
    expect(unlisted).toEqual([])
    expect(rows.filter(([pattern]) => !commands.some(({ command }) => pattern.test(command)))).toEqual([])
    expect(TESTED.filter(([, test]) => !existsSync(join(ROOT, test)))).toEqual([])
  })

  it('have a test for what each runbook is about, or say why there is none', () => {
    const runbooks = [...pages.keys()].filter((page) => page.startsWith('runbooks/'))
    expect(Object.keys(RUNBOOKS).map((name) => `runbooks/${name}`)).toEqual(runbooks)
    const tests = Object.values(RUNBOOKS).flatMap((told) => (typeof told === 'string' ? [] : told))
    expect(tests.filter((test) => !existsSync(join(ROOT, test)))).toEqual([])
  })

  it('address the database by npm run d1 and the name DB alone', () => {
    const text = [...pages.values()].join('\n')
    expect(text.match(/wrangler d1 [a-z-]+ .*/g) ?? []).toEqual([])
    expect(text.match(/npm run d1 -- \S+(?: \S+)? (?!DB\b)\w+ --/g)).toBeNull()
  })

  it('name only operations that the API has', () => {
    const has = operations().map((line) => line.replaceAll(/\{\w+\}/g, '<>'))
    const named = [...pages].flatMap(([page, text]) =>
      [...text.matchAll(/`(GET|POST|PUT|PATCH|DELETE) (\/v0\/[^`\s?]*)/g)].map(([, method, path = '']) => ({
        page,
        line: `${method} ${path.replaceAll(/<[^>]*>/g, '<>')}`,
      })),
    )
    expect(named.length).toBeGreaterThan(30)
    // Some paths name the objects of several with hyphens between.
    expect(named.filter(({ line }) => !has.includes(line.replace('<>-<>-<>', '<>')))).toEqual([])
  })

  it('name only settings that there are', () => {
    const known = [...VARIABLES, ...DEPLOY_SETTINGS]
    const own = [...pages]
      .filter(([page]) => page !== 'server.md')
      .flatMap(([page, text]) =>
        [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(_<CHAIN>)?(?==|`)/g)].map(([, name = '', chain]) => ({
          page,
          name: chain === undefined ? name : `${name}_BITCOIN`,
        })),
      )
    expect(own.length).toBeGreaterThan(100)
    expect(own.filter(({ name }) => !known.some((one) => one === name) && !OTHERS.includes(name))).toEqual([])
  })

  it('name only scripts that there are', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(ROOT, 'package.json'), 'utf8'),
    )
    const named = [...pages.values()].flatMap((text) =>
      [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name = '']) => name),
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })
})

describe('the documents', () => {
  const files = ['', 'docs', 'client', 'client-hook', 'examples', 'bench']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: folder === 'docs', encoding: 'utf8' }).map((file) =>
        join(folder, file),
      ),
    )
    .filter((file) => file.endsWith('.md'))

  it('link only to files, and to headings, that there are', () => {
    const broken = files.flatMap((file) => {
      const text = withoutCode(readFileSync(join(ROOT, file), 'utf8'))
      return [...text.matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].flatMap(([, link = '']) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? file : join(dirname(file), path)
        if (!existsSync(join(ROOT, target))) return [`${file}: ${link}`]
        if (anchor === undefined || !target.endsWith('.md')) return []
        return headings(readFileSync(join(ROOT, target), 'utf8')).includes(anchor) ? [] : [`${file}: ${link}`]
      })
    })
    expect(files.length).toBeGreaterThan(40)
    expect(broken).toEqual([])
  })
})

/** Words in capitals that are no settings: of Bitcoin Core. */
const OTHERS = ['MAX_STANDARD_TX_WEIGHT']

const IN_LETTERS: Record<number, string> = {
  7: 'Seven',
  8: 'Eight',
  11: 'Eleven',
  12: 'Twelve',
  13: 'Thirteen',
  14: 'Fourteen',
  15: 'Fifteen',
}

function operations(): string[] {
  const folder = join(ROOT, 'contract/operations')
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  return texts.flatMap((text) =>
    [...text.matchAll(/^ {2}'((?:GET|POST|PUT|PATCH|DELETE) \/[^']*)'/gm)].map(([, line = '']) => line),
  )
}

function withoutCode(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
}

/** The anchors of the headings, as GitHub makes them. */
function headings(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand } from '../../scripts/build-command.ts'
import { buildPackage } from '../../scripts/build-package.ts'
import { installFolder } from '../kit/install-folder.ts'
import { launchBrowser } from '../kit/launch-browser.ts'
import { FILE, startPackageServer, TEXT } from './package-server.ts'

const run = promisify(execFile)
const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const RUNTIMES = here('runtimes')
const tool = (name: string) => join(RUNTIMES, 'node_modules/.bin', name)

const DENO = ['--allow-net', '--allow-env', '--allow-read', '--allow-write']

const expected = {
  verified: 1,
  refused: 'not_verified',
  text: TEXT,
  pieces: FILE.length,
  got: FILE,
  missing: 'not_found',
  status: '402 Payment Required',
  amount: '0.000001',
  hook: 'function',
  remembered: true,
}

let folder: string
let tarball: string
let server: Awaited<ReturnType<typeof startPackageServer>>
const pages = new Map<string, { type: string; body: string | Uint8Array }>()

beforeAll(async () => {
  await installFolder(RUNTIMES)
  await buildPackage()
  await buildCommand()
  folder = await mkdtemp(join(tmpdir(), 'hookline-package-'))
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: here('../../client') })
  const [packed]: { filename: string }[] = JSON.parse(stdout)
  tarball = join(folder, packed?.filename ?? '')
  // An empty folder: what the package needs, it brings along.
  await mkdir(join(folder, 'app'))
  await writeFile(join(folder, 'app/package.json'), '{ "type": "module" }')
  await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--offline', tarball], {
    cwd: join(folder, 'app'),
  })
  for (const name of ['suite.mjs', 'run-suite.mjs']) await copyFile(here(name), join(folder, 'app', name))
  server = await startPackageServer(pages)
}, 300_000)
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** The lines of a README for the library, with the address and the key of the test's server. */
async function fiveLines(readme: string): Promise<string[]> {
  const text = await readFile(here(readme), 'utf8')
  const [, block = ''] = /```js\n(import \{ createClient \}[^`]*)```/.exec(text) ?? []
  const lines = block.replace('https://api.example', server.url).replace('your API key', server.facts.key)
  expect(lines.trim().split('\n')).toHaveLength(5)
  return lines.trim().split('\n')
}

/** A Worker of bundled modules, with the module in WebAssembly that the package brings along for it. */
async function startWorkerd(entry: string): Promise<Miniflare> {
  const { outputFiles } = await bundle(entry, ['workerd', 'worker', 'browser'])
  const modules = outputFiles.map(({ path, text }) => ({
    type: 'ESModule' as const,
    path: path.split('/').at(-1) ?? '',
    contents: text,
  }))
  modules.sort((a, b) => Number(b.path === 'stdin.js') - Number(a.path === 'stdin.js'))
  const wasm = await readFile(join(folder, 'app/node_modules/hookline/dist/brotli.wasm'))
  const all = [...modules, { type: 'CompiledWasm' as const, path: 'brotli.wasm', contents: new Uint8Array(wasm) }]
  return new Miniflare(
    convertV4MiniflareOptions({
      rootPath: folder,
      compatibilityDate: '2025-11-01',
      modules: all,
      log: new Log(LogLevel.ERROR),
    }),
  )
}

const bundle = (entry: string, conditions: string[]) =>
  build({
    stdin: { contents: entry, resolveDir: join(folder, 'app') },
    bundle: true,
    splitting: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions,
    outdir: join(folder, 'bundle'),
    external: ['*.wasm'],
  })

describe('command 36: the packed package', () => {
  const args = () => ['run-suite.mjs', server.url, JSON.stringify(server.facts)]
  it.each([
    ['Node 20.12', () => tool('node'), args],
    ['Deno', () => tool('deno'), () => ['run', ...DENO, ...args()]],
    ['Bun', () => tool('bun'), args],
  ])('does all of it in %s', async (_, command, words) => {
    const { stdout } = await run(command(), words(), {
      cwd: join(folder, 'app'),
      env: { ...process.env, NO_COLOR: '1', XDG_STATE_HOME: await mkdtemp(join(folder, 'state-')) },
    })
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  it.each([
    ['Node 20.12', () => tool('node'), []],
    ['Deno', () => tool('deno'), ['run', ...DENO]],
    ['Bun', () => tool('bun'), []],
  ])('does what the five lines of the README say in %s', async (_, command, words) => {
    for (const readme of ['../../README.md', '../../client/README.md']) {
      await writeFile(join(folder, 'app/five-lines.mjs'), (await fiveLines(readme)).join('\n'))
      const { stdout } = await run(command(), [...words, 'five-lines.mjs'], {
        cwd: join(folder, 'app'),
        env: { ...process.env, XDG_STATE_HOME: await mkdtemp(join(folder, 'state-')) },
      })
      expect(stdout).toMatch(/^coin:address\d+\n200 OK\n$/)
    }
  })

  it('does all of it in workerd without compatibility flags', async () => {
    const entry = `import { runSuite } from './suite.mjs'
      export default { async fetch(request) { const { api, facts } = await request.json(); return Response.json(await runSuite(api, facts)) } }`
    const miniflare = await startWorkerd(entry)
    try {
      const answer = await miniflare.dispatchFetch('http://suite/', {
        method: 'POST',
        body: JSON.stringify({ api: server.url, facts: server.facts }),
      })
      // A Worker has nothing that lasts, but what its own code passes as a store.
      expect(JSON.parse(await answer.text())).toEqual({ ...expected, remembered: false })
    } finally {
      await miniflare.dispose()
    }
  })

  it('does what the five lines of the README say in workerd, inside of a request', async () => {
    const [first, ...others] = await fiveLines('../../README.md')
    const entry = `${first}
      export default { async fetch() { const told = []; const console = { log: (line) => told.push(line) }
      ${others.join('\n')}
      return Response.json(told) } }`
    const miniflare = await startWorkerd(entry)
    try {
      const answer = await miniflare.dispatchFetch('http://lines/')
      expect(JSON.parse(await answer.text())).toEqual([expect.stringMatching(/^coin:address\d+$/), '200 OK'])
    } finally {
      await miniflare.dispose()
    }
  })

  it('does what the five lines of the README say in Chromium', async () => {
    const { outputFiles } = await bundle((await fiveLines('../../README.md')).join('\n'), ['browser'])
    for (const { path, contents } of outputFiles)
      pages.set(`/lines/${path.split('/').at(-1)}`, { type: 'text/javascript', body: contents })
    const body = '<!doctype html><script type="module" src="/lines/stdin.js"></script>'
    pages.set('/lines', { type: 'text/html', body })
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      const told: string[] = []
      page.on('console', (message) => {
        // The browser itself logs a 402 as an error.
        if (message.type() === 'log') told.push(message.text())
      })
      await page.goto(`${server.url}/lines`)
      await expect.poll(() => told, { timeout: 60_000 }).toContain('200 OK')
      expect(told).toEqual([expect.stringMatching(/^coin:address\d+$/), '200 OK'])
    } finally {
      await browser.close()
    }
  })

  it('does all of it in Chromium, and fills a page by hookline/hook and hookline/element', async () => {
    const entry = `import { runSuite } from './suite.mjs'
      import { hook } from 'hookline/hook'
      window.runSuite = runSuite
      window.fillPage = async (api) => { const results = await hook({ api })('Bitcoin', document.querySelector('main')); return results.map(({ status, error }) => error?.message ?? status) }`
    const { outputFiles } = await bundle(entry, ['browser'])
    for (const { path, contents } of outputFiles)
      pages.set(`/${path.split('/').at(-1)}`, { type: 'text/javascript', body: contents })
    const content = `class="Bitcoin" data-mimetype="text/plain" data-src="${server.facts.txids}"`
    const body = `<!doctype html><main><p ${content}></p></main><hookline-content ${content}></hookline-content><script type="module" src="/stdin.js"></script>`
    pages.set('/page', { type: 'text/html', body })
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${server.url}/page`)
      await page.waitForFunction(() => 'fillPage' in window)
      const call = (name: string, ...words: unknown[]) =>
        page.evaluate(([method, ...rest]): unknown => Reflect.get(window, String(method))(...rest), [name, ...words])
      expect(await call('runSuite', server.url, server.facts)).toEqual(expected)
      expect(await call('fillPage', server.url)).toEqual(['filled'])
      expect(await page.locator('main').textContent()).toBe(TEXT)
      await page.waitForFunction((text) => document.querySelector('hookline-content')?.textContent === text, TEXT)
    } finally {
      await browser.close()
    }
  })

  it('command 31: is found faultless by publint and attw, and has at most 820 kB', async () => {
    expect((await stat(tarball)).size).toBeLessThanOrEqual(820_000)
    await run(tool('publint'), ['--strict', tarball])
    await run(tool('attw'), ['--profile', 'esm-only', tarball])
  })

  it('27.17: npm would publish the tarball as it is, and its command runs where it is installed', async () => {
    const publish = ['publish', tarball, '--dry-run', '--json', '--access', 'public', '--offline']
    const { stdout } = await run('npm', publish, { cwd: folder })
    // By the version of npm under the name of the package, or not.
    expect(JSON.stringify(JSON.parse(stdout))).toContain('"name":"hookline"')
    const command = join(folder, 'app/node_modules/.bin/hookline')
    expect((await run(command, ['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
    expect((await run(command, ['help', 'put'])).stdout).toContain('--max-fee')
  })

  it('command 37: each entry can be imported where there is no document, and defines nothing', async () => {
    const script = `for (const name of ['hookline', 'hookline/hook', 'hookline/element']) await import(name)
      const { hook } = await import('hookline/hook')
      try { hook({ api: 'https://api.example' }) } catch ({ code }) { console.log(code, typeof globalThis.customElements) }`
    const { stdout } = await run(tool('node'), ['--input-type=module', '-e', script], { cwd: join(folder, 'app') })
    expect(stdout.trim()).toBe('invalid_option undefined')
  })
})

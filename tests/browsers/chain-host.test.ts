import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { writeDoginalFrom, writeInscription } from '../../devnet/others/transactions-of-others.ts'
import type { EnvelopeFields } from '../../devnet/others/write-inscription.ts'
import { connect } from '../kit/call-devnet.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { mineOthers } from '../kit/write-others.ts'
import type { Engine } from './engine-page.ts'
import { ENGINES } from './engines.ts'

const PICTURE = readFileSync(new URL('../../examples/others/stamp.png', import.meta.url))
const FONT = readFileSync(new URL('fixtures/square.ttf', import.meta.url))

let worker: RunningWorker
beforeAll(async () => {
  worker = await startWorker({ variables: { INSCRIPTIONS: 'Bitcoin,Dogecoin' } })
})
afterAll(() => worker.close())

const inscribe = (fields: EnvelopeFields) =>
  mineOthers(worker.chains.devnet, 'Bitcoin', (coin) => writeInscription(coin, fields))
const urlOf = (name: string, chain = 'bitcoin') =>
  `http://${chain}.storage.localhost:${new URL(worker.url).port}/content/${name}`

/** HTML that reports what its promises come to, each by its name: as text, or the name of its error. */
function reporting(parts: Record<string, string>, body = ''): string {
  const promises = Object.entries(parts).map(([name, code]) => `${JSON.stringify(name)}: async () => ${code}`)
  return `<!doctype html><meta charset="utf-8"><title>inscribed</title>${body}
    <script>
      const parts = { ${promises.join(',\n')} }
      const settle = async (part) => { try { return await part() } catch (error) { return error.name } }
      window.report = Promise.all(Object.entries(parts).map(async ([name, part]) => [name, await settle(part)]))
        .then(Object.fromEntries)
    </script>`
}

describe.each(ENGINES)('an inscription of HTML on the host of its chain, in %s', (_, launch) => {
  let engine: Engine
  beforeEach(async () => {
    engine = await launch()
    return () => engine.close()
  })

  async function reportOf(parts: Record<string, string>, body?: string): Promise<unknown> {
    await engine.page.goto(urlOf(inscribe({ type: 'text/html', body: reporting(parts, body) })))
    return await engine.page.read('window.report')
  }

  it('loads others by their ids: pictures, scripts, modules, styles, fonts, frames and what it fetches', async () => {
    const picture = inscribe({ type: 'image/png', body: PICTURE })
    const script = inscribe({ type: 'text/javascript', body: 'window.ran = "a script"' })
    const module = inscribe({ type: 'text/javascript', body: 'export const said = "a module"' })
    const style = inscribe({ type: 'text/css', body: 'h1 { color: rgb(1, 2, 3) }' })
    const font = inscribe({ type: 'font/ttf', body: FONT })
    const text = inscribe({ type: 'text/plain', body: 'a text' })
    const framed = inscribe({ type: 'text/html', body: '<script>parent.postMessage("a frame", "*")</script>' })
    const report = await reportOf(
      {
        picture: `new Promise((done) => {
          const image = new Image()
          image.onload = () => done(image.naturalWidth)
          image.onerror = () => done('an error')
          image.src = '/content/${picture}'
        })`,
        script: 'window.ran',
        module: `(await import('/content/${module}')).said`,
        style: `getComputedStyle(document.querySelector('h1')).color`,
        font: `(await new FontFace('square', 'url(/content/${font})').load()).status`,
        fetched: `(await fetch('/content/${text}')).text()`,
        frame: `new Promise((done) => {
          addEventListener('message', ({ data }) => done(data))
          const frame = document.createElement('iframe')
          frame.src = '/content/${framed}'
          document.documentElement.append(frame)
        })`,
      },
      `<link rel="stylesheet" href="/content/${style}"><script src="/content/${script}"></script><h1>inscribed</h1>`,
    )
    expect(report).toEqual({
      picture: 24,
      script: 'a script',
      module: 'a module',
      style: 'rgb(1, 2, 3)',
      font: 'loaded',
      fetched: 'a text',
      frame: 'a frame',
    })
  })

  it('reads what the chain says', async () => {
    const id = inscribe({ type: 'text/plain', body: 'described', metadata: Uint8Array.of(0xa0) })
    const rpc = connect(worker.chains.devnet, 'Bitcoin')
    const text = (path: string) => `(await fetch('${path}')).text()`
    const report = await reportOf({
      height: text('/r/blockheight'),
      oldHeight: text('/blockheight'),
      first: text('/r/blockhash/0'),
      metadata: `(await fetch('/r/metadata/${id}')).json()`,
      described: `(await (await fetch('/r/inscription/${id}')).json()).content_type`,
      own: text(`/r/undelegated-content/${id}`),
      children: `(await fetch('/r/children/${id}')).status`,
    })
    const height = String(rpc('getblockcount'))
    expect(report).toEqual({
      height,
      oldHeight: height,
      first: JSON.stringify(rpc('getblockhash', 0)),
      metadata: 'a0',
      described: 'text/plain',
      own: 'described',
      children: 404,
    })
  })

  it('keeps nothing, registers nothing, and loads nothing from another host', async () => {
    const script = inscribe({ type: 'text/javascript', body: 'postMessage("a worker")' })
    const report = await reportOf({
      origin: 'self.origin',
      localStorage: 'localStorage.length',
      cookie: '(document.cookie = "a=b", document.cookie)',
      indexedDB: `new Promise((done, fail) => {
        const opening = indexedDB.open('any')
        opening.onsuccess = () => done('opened')
        opening.onerror = () => fail(opening.error)
      })`,
      serviceWorker: `'serviceWorker' in navigator
        ? navigator.serviceWorker.register('/content/${script}').then(() => 'registered')
        : 'SecurityError'`,
      elsewhere: `(await fetch('${worker.url}/v0/health')).status`,
      // One engine throws, another sends an error.
      worker: `new Promise((done, fail) => {
        const started = new Worker('/content/${script}')
        started.onmessage = ({ data }) => done(data)
        started.onerror = () => fail({ name: 'SecurityError' })
      })`,
      workerOfBlob: `new Promise((done, fail) => {
        const started = new Worker(URL.createObjectURL(new Blob(['postMessage("a worker")'])))
        started.onmessage = ({ data }) => done(data)
        started.onerror = fail
      })`,
      evaluated: 'eval("1 + 1")',
    })
    expect(report).toEqual({
      origin: 'null',
      localStorage: 'SecurityError',
      cookie: 'SecurityError',
      indexedDB: 'SecurityError',
      serviceWorker: 'SecurityError',
      elsewhere: 'TypeError',
      worker: 'SecurityError',
      workerOfBlob: 'a worker',
      evaluated: 2,
    })
  })
})

describe.each(ENGINES)('a doginal of HTML on the host of its chain, in %s', (_, launch) => {
  it('loads another', async () => {
    const { devnet } = worker.chains
    const write = (type: string, body: string) =>
      mineOthers(devnet, 'Dogecoin', (coin) => writeDoginalFrom(coin, { type, body: new TextEncoder().encode(body) }))
    const text = write('text/plain', 'much text')
    const page = write('text/html', reporting({ fetched: `(await fetch('/content/${text}')).text()` }))
    const engine = await launch()
    try {
      await engine.page.goto(urlOf(page, 'dogecoin'))
      expect(await engine.page.read('window.report')).toEqual({ fetched: 'much text' })
    } finally {
      await engine.close()
    }
  })
})

import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CHAINS } from '../../protocol/chains.ts'
import { literalBrotli } from '../../protocol/literal-brotli.ts'
import { readWhole } from '../../reader/read-whole.ts'
import { type AuthorWorkerFiles, buildAuthorWorkers } from '../../scripts/build-author-worker.ts'
import { COLOURS, colourVideo } from '../kit/colour-video.ts'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'
import { startTamperingProxy, type TamperingProxy } from '../kit/tampering-proxy.ts'
import { storeBytes, storeContent } from '../kit/write-content.ts'
import type { EnginePage } from './engine-page.ts'
import { ENGINES } from './engines.ts'

const MIB = 2 ** 20
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="123" height="45"><rect width="9" height="9"/></svg>'
/** Of these a page that runs the content would be owned. */
const OWNING = 'try { parent.owned = true } catch {} self.owned = true'
/** 262 s of silence, in nine blocks. */
const SOUND = silentWav(262)
const LARGE = randomBytes(5 * MIB)
/** A picture of which the last block is altered. */
const LONG_SVG = SVG.replace('<rect', `<!--${randomBytes(300_000).toString('hex')}--><rect id="altered"`)

/** Each second of it is in a block of its own, of 256 KiB. */
const VIDEO = colourVideo(300_000)
/** Of the second whose block is altered. */
const ALTERED = 5

let worker: RunningWorker
let files: AuthorWorkerFiles
let sound: string
let large: string
let video: string
let root: string
let text: string
/** The same sound in transactions, uncompressed. */
let chainSound: string
let chainTxids: string[]

beforeAll(async () => {
  worker = await startWorker()
  files = await buildAuthorWorkers()
  const stored = await storeFiles(worker, {
    'a.svg': SVG,
    'a.wav': SOUND,
    'large.bin': LARGE,
    'colours.webm': VIDEO.bytes,
    'long.svg': LONG_SVG,
    'module.js': 'export const answer = 42',
    'a.css': 'h1 { color: rgb(1, 2, 3) }',
    'page.html': `<script>${OWNING}</script>owned`,
    'worker.js': OWNING,
  })
  root = stored.root
  sound = `/hookline/ipfs/${stored.cids['a.wav']}?type=audio/wav`
  large = `/hookline/ipfs/${stored.cids['large.bin']}`
  video = `/hookline/ipfs/${stored.cids['colours.webm']}?type=video/webm`
  const uncompressed = await readWhole(literalBrotli(once(SOUND), SOUND.length, CHAINS.Nativecoin.maxDataBytes))
  chainTxids = storeBytes(worker, 'Nativecoin', uncompressed)
  chainSound = `/hookline/Nativecoin/${chainTxids}?type=audio/wav`
  text = `/hookline/Bitcoin/${storeContent(worker, 'Bitcoin', SVG)}`
})
afterAll(() => worker?.close())

async function* once(bytes: Uint8Array) {
  yield bytes
}

/** An author's site with the worker's files, and its page with this body; what a function of the page returned, in `output`. */
async function openSite(open: (typeof ENGINES)[number][1], body: string) {
  const [pages, other, api, engine] = await Promise.all([
    startPageServer(),
    startPageServer(),
    startTamperingProxy(worker.url),
    open(),
  ])
  onTestFinished(async () => {
    await engine.close()
    await api.close()
    await pages.close()
    await other.close()
  })
  serveFiles(pages, api)
  const url = pages.serve({
    body: `<!doctype html><meta charset="utf-8"><script src="/hookline-worker.js?api=${api.url}"></script>
      <script>${TOOLS}</script><body><h1>Site</h1><output></output>${body}`,
  })
  await engine.page.goto(url)
  return { page: engine.page, api, pages, other }
}

function serveFiles(pages: PageServer, api: TamperingProxy) {
  const type = 'text/javascript'
  for (const name of ['hookline-worker.js', 'hookline-chain-worker.js'] as const)
    pages.serve({ body: files[name], type }, `/${name}?api=${api.url}`)
  const wasm = readFileSync(createRequire(import.meta.url).resolve('brotli-dec-wasm/web/bg.wasm'))
  pages.serve({ body: wasm, type: 'application/wasm' }, '/brotli.wasm')
}

const TOOLS = `
  const errors = []
  document.addEventListener('hook:error', ({ target, detail }) => errors.push([target.id ?? '', detail.error.code]))
  const event = (target, ...names) => new Promise((resolve) => names.forEach((name) => target.addEventListener(name, () => resolve(name))))
  const until = async (is) => { while (!is()) await new Promise((resolve) => setTimeout(resolve, 20)) }
  const controlled = () => until(() => navigator.serviceWorker.controller)
  const make = (name, fields) => Object.assign(document.createElement(name), fields)
  function run(body) {
    document.querySelector('output').textContent = ''
    body().then((value) => JSON.stringify(value), (error) => 'failed: ' + error).then((text) => {
      document.querySelector('output').textContent = 'done ' + text
    })
  }`

/** What the body of an asynchronous function returns in the page. */
async function run(page: EnginePage, body: string): Promise<unknown> {
  await page.read(`void run(async () => { ${body} })`)
  await page.see('output', 'done ')
  const told = String(await page.read('document.querySelector("output").textContent')).slice('done '.length)
  return told.startsWith('failed') ? told : JSON.parse(told)
}

describe.each(ENGINES)("the author's worker in %s", (_, open) => {
  it('fills what a page asked for before it ran, by its one line', async () => {
    const { page } = await openSite(
      open,
      `<link rel="stylesheet" href="/hookline/ipfs/${root}/a.css"><img id="ipfs" src="/hookline/ipfs/${root}/a.svg">
       <img id="chain" src="${text}"><audio id="sound" preload="metadata" src="${sound}"></audio>`,
    )
    const seen = await run(
      page,
      `const [ipfs, chain, sound] = ['ipfs', 'chain', 'sound'].map((id) => document.getElementById(id))
       await until(() => ipfs.naturalWidth && chain.naturalWidth && sound.duration)
       await until(() => getComputedStyle(document.querySelector('h1')).color === 'rgb(1, 2, 3)')
       return [ipfs.naturalWidth, chain.naturalWidth, Math.round(sound.duration)]`,
    )
    expect(seen).toEqual([123, 123, 262])
  })

  it('has a player seek, reads a range by its own blocks, and runs a module that is imported', async () => {
    const { page, api } = await openSite(open, '')
    const seen = await run(
      page,
      `await controlled()
       const video = make('video', { src: ${JSON.stringify(sound)}, preload: 'auto', muted: true })
       document.body.append(video)
       await until(() => video.duration)
       video.currentTime = 200
       await event(video, 'seeked')
       const { answer } = await import('/hookline/ipfs/${root}/module.js')
       return [video.currentTime, answer]`,
    )
    expect(seen).toEqual([200, 42])

    api.seen.length = 0
    const start = 2 * MIB + 100_000
    const part = await run(
      page,
      `const answer = await fetch('${large}', { headers: { Range: 'bytes=${start}-${start + 999}' } })
       const outside = await fetch('${large}', { headers: { Range: 'bytes=${LARGE.length}-' } })
       return [answer.status, answer.headers.get('Content-Range'), answer.headers.get('Content-Security-Policy'),
         [...new Uint8Array(await answer.arrayBuffer())].slice(0, 20), outside.status, outside.headers.get('Content-Range')]`,
    )
    expect(part).toEqual([
      206,
      `bytes ${start}-${start + 999}/${LARGE.length}`,
      'sandbox',
      [...LARGE.subarray(start, start + 20)],
      416,
      `bytes */${LARGE.length}`,
    ])
    expect(api.seen[0]?.path).toContain(`entity-bytes=${start}:${start + 999}`)

    // A MiB in blocks of 256 KiB, at most one and a half times.
    let fetched = 0
    api.tamper = (_, body) => {
      fetched += body.length
      return undefined
    }
    const range = `bytes=${start}-${start + MIB - 1}`
    const length = `(await fetch('${large}', { headers: { Range: '${range}' } }).then((answer) => answer.arrayBuffer())).byteLength`
    expect(await run(page, `return ${length}`)).toBe(MIB)
    expect(fetched).toBeLessThanOrEqual(1.5 * MIB)
  })

  it('has a player seek in content of a chain, and reads a range by its own transactions', async () => {
    const { page, api } = await openSite(open, '')
    await run(page, 'await controlled(); return true')
    const start = 1_500_000
    const part = await run(
      page,
      `const answer = await fetch('${chainSound}', { headers: { Range: 'bytes=${start}-${start + 999}' } })
       return [answer.status, [...new Uint8Array(await answer.arrayBuffer())].slice(0, 20)]`,
    )
    expect(part).toEqual([206, [...SOUND.subarray(start, start + 20)]])
    const asked = api.seen.flatMap(({ path }) => /^\/v0\/tx\/Nativecoin\/(.*)/.exec(path)?.[1]?.split(',') ?? [])
    expect(asked.map((txid) => chainTxids.indexOf(txid))).toEqual([0, 14])

    // The browser's own decoder makes the same of the whole.
    const whole = await run(
      page,
      `const answer = await fetch('${worker.url}/v0/web/Nativecoin/${chainTxids}')
       return [...new Uint8Array(await crypto.subtle.digest('SHA-256', await answer.arrayBuffer()))]`,
    )
    expect(whole).toEqual([...createHash('sha256').update(SOUND).digest()])
    const seen = await run(
      page,
      `const audio = make('audio', { src: ${JSON.stringify(chainSound)}, preload: 'auto' })
       document.body.append(audio)
       await until(() => audio.duration)
       audio.currentTime = 200
       await event(audio, 'seeked')
       return [Math.round(audio.duration), audio.currentTime]`,
    )
    expect(seen).toEqual([262, 200])
  })

  it('opens nothing as a page, a frame, an object or a worker, and leaves other requests alone', async () => {
    const { page, pages } = await openSite(open, '')
    pages.serve({ body: 'of the site itself', type: 'text/plain' }, '/own.txt')
    const seen = await run(
      page,
      `await controlled()
       const html = '/hookline/ipfs/${root}/page.html'
       for (const [name, fields] of [['iframe', { src: html }], ['object', { data: html }], ['embed', { src: html }]]) {
         const element = make(name, fields)
         document.body.append(element)
         await Promise.race([event(element, 'load', 'error'), new Promise((resolve) => setTimeout(resolve, 1000))])
       }
       const frame = document.querySelector('iframe').contentDocument?.body.textContent ?? ''
       const script = '/hookline/ipfs/${root}/worker.js'
       const worker = await event(new Worker(script), 'error', 'message')
       const shared = self.SharedWorker ? await event(new SharedWorker(script), 'error') : 'error'
       const service = await navigator.serviceWorker.register(script).then(() => 'registered', () => 'refused')
       const own = await (await fetch('/own.txt')).text()
       const none = (await fetch('/nothing.txt')).status
       return [self.owned ?? false, frame.includes('owned'), worker, shared, service, own, none]`,
    )
    expect(seen).toEqual([false, false, 'error', 'error', 'refused', 'of the site itself', 404])
  })

  it.each([
    ['is of another origin', (other: string) => `${other}/hookline-worker.js?api=`, 'must be a file of this site'],
    ['serves no page like this one', () => '/deep/hookline-worker.js?api=', 'serves pages below http'],
    ['has no address of a Hookline', () => '/hookline-worker.js?none=', 'needs the address of a Hookline'],
  ])('says in one sentence that its file %s, and the page works without', async (_, place, sentence) => {
    const { page, api, pages, other } = await openSite(open, '')
    const src = place(other.origin) + api.url
    for (const site of [pages, other])
      site.serve({ body: files['hookline-worker.js'], type: 'text/javascript' }, src.replace(other.origin, ''))
    await page.goto(
      pages.serve({
        body: `<!doctype html><script>${TOOLS}
          const told = []
          console.error = (sentence) => told.push(sentence)</script>
          <script src="${src}"></script><body><output></output>`,
      }),
    )
    const told = await run(page, 'await until(() => told.length > 0); return told')
    expect(told).toEqual([expect.stringContaining(sentence)])
  })

  it('ends at an altered block, and tells the page', async () => {
    const { page, api } = await openSite(open, '')
    await run(page, 'await controlled(); return true')
    // In the fifth MiB, and at the end of the picture.
    const altered = [LARGE.subarray(4 * MIB + 1000, 4 * MIB + 1016), Buffer.from('id="altered"')]
    api.tamper = (path, body) => {
      if (!path.startsWith('/ipfs/')) return undefined
      const at = Math.max(...altered.map((bytes) => Buffer.from(body).indexOf(bytes)))
      return at < 0 ? body : body.map((byte, index) => (index === at ? byte ^ 1 : byte))
    }
    const seen = await run(
      page,
      `const reader = (await fetch('${large}')).body.getReader()
       let read = 0
       try {
         for (let step = await reader.read(); !step.done; step = await reader.read()) read += step.value.length
         read = 'all'
       } catch {}
       await until(() => errors.length > 0)
       return [read, errors]`,
    )
    // What a page has not read yet when the body ends with an error, its browser may drop.
    expect(seen).toEqual([expect.toSatisfy((read) => read <= 4 * MIB), [['', 'not_verified']]])
    const image = await run(
      page,
      `errors.length = 0
       const img = make('img', { id: 'img', src: '/hookline/ipfs/${root}/long.svg' })
       document.body.append(img)
       await event(img, 'error')
       await until(() => errors.length > 0)
       return [img.naturalWidth, errors]`,
    )
    expect(image).toEqual([0, [['img', 'not_verified']]])
  })
})

/** Has a page keep the time of each frame that a video shows, and its colour: a digit for each of red, green and blue. */
const WATCH = `
  const canvas = make('canvas', { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true })
  const frames = []
  function keep(video, time) {
    canvas.drawImage(video, 0, 0, 1, 1)
    const [...colour] = canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)
    frames.push([time, colour.map((value) => (value > 127 ? 1 : 0)).join('')])
  }
  function watch(video) {
    video.requestVideoFrameCallback((_, { mediaTime }) => {
      keep(video, mediaTime)
      watch(video)
    })
  }`

it('plays a video until an altered block, of which no frame is shown', async () => {
  const { page, api } = await openSite(ENGINES[0][1], '')
  await run(page, 'await controlled(); return true')
  const start = VIDEO.starts[ALTERED] ?? 0
  const altered = VIDEO.bytes.subarray(start, start + 64)
  api.tamper = (path, body) => {
    const at = path.startsWith('/ipfs/') ? Buffer.from(body).indexOf(altered) : -1
    return at < 0 ? undefined : body.map((byte, index) => (index === at + 60 ? byte ^ 1 : byte))
  }
  const seen = await run(
    page,
    `${WATCH}
     const video = make('video', { id: 'video', muted: true, preload: 'auto', src: '${video}' })
     video.addEventListener('loadeddata', () => keep(video, video.currentTime))
     watch(video)
     document.body.append(video)
     video.play().catch(() => {})
     await until(() => video.error && errors.length > 0)
     return [frames, errors, video.currentTime]`,
  )
  // Chromium ends with what it reads ahead: seconds before the altered one may be left out.
  expect(seen).toEqual([
    expect.toSatisfy((frames) => frames.length > 0 && frames.every(isBeforeAltered)),
    // The player asks for it several times.
    [['video', 'not_verified']],
    expect.toSatisfy((time) => time < ALTERED),
  ])
})

function isBeforeAltered([time, colour]: [number, string]): boolean {
  return time < ALTERED && COLOURS.indexOf(colour) === Math.floor(time)
}

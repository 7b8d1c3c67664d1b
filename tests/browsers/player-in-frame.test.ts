import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type PageServer, startPageServer } from '../kit/page-server.ts'
import { type RecordingFront, startRecordingFront } from '../kit/recording-front.ts'
import { silentWav } from '../kit/silent-wav.ts'
import { type RunningWorker, startWorker } from '../kit/start-worker.ts'
import { storeFiles } from '../kit/store-files.ts'
import { ENGINES } from './engines.ts'

let worker: RunningWorker
let pages: PageServer
let front: RecordingFront
let place: string

beforeAll(async () => {
  ;[worker, pages] = await Promise.all([startWorker(), startPageServer()])
  front = await startRecordingFront(worker.url)
  const sound = silentWav(1000)
  sound.set(randomBytes(sound.length - 44), 44)
  const { root } = await storeFiles(worker, { 'a.wav': sound })
  place = `${root}/a.wav`
})
afterAll(async () => {
  await front.close()
  await pages.close()
  await worker.close()
})

describe.each(ENGINES)('large media in a frame in %s', (_, open) => {
  it('is played by a player that seeks', async () => {
    const { page, close } = await open()
    onTestFinished(close)
    await page.goto(
      pages.serve({
        body: `<!doctype html><title>page</title>
          <script src="${worker.url}/hook.js" data-frames="storage.localhost:${front.port}"></script>
          <iframe class="IPFS" data-mimetype="audio/wav" data-src="${place}" width="600" height="80"></iframe>`,
      }),
    )
    await page.read(`void window.hook('IPFS')`)
    await expect.poll(() => page.read(`document.querySelector('iframe').dataset.state`)).toBe('ready')
    const look = (expression: string) =>
      page.readInFrame(
        'iframe',
        `(() => { const audio = frames[0].document.querySelector('audio'); return ${expression} })()`,
      )
    await expect.poll(() => look('Math.round(audio.duration)').catch(() => 0)).toBe(1000)
    await look('void frames[0].setTimeout(() => { audio.currentTime = 900 })')
    await expect
      .poll(() => look('[audio.currentTime, audio.seeking, audio.readyState > 1]'))
      .toEqual([900, false, true])
  })
})

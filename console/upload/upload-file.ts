import { DetailedError, Upload } from 'tus-js-client'
import { retryAfterOf } from '../api/api-error.ts'
import { decideRetry } from '../core/decide-retry.ts'
import { waitForNetwork } from '../events/wait-for-network.ts'
import { accessToken, renewAccess } from '../session/access.ts'
import { arrayBufferReader } from './array-buffer-reader.ts'

/** Bytes of one request: of the 8 to 32 MiB that proxies take and a phone's memory holds. */
const PART_BYTES = 8 * 2 ** 20
/** Up to this size a file goes with the request that creates its upload. */
const ONE_REQUEST_BYTES = 2 ** 20
/** Without a byte sent or acknowledged for so long, a request is given up and the upload resumed. */
const STALL_MS = 20_000

export interface UploadTask {
  file: Blob
  metadata: { filename: string; filetype: string; blockchain: string; folder?: string }
  /** Of an upload that the service has begun; undefined to begin one. */
  id: string | undefined
  signal: AbortSignal
  /** Resolves when the id is kept: no byte is sent before. */
  onId(id: string): Promise<void>
  /** Bytes that the service has acknowledged. */
  onHeld(bytes: number): void
  /** Something stopped it for now; undefined once it goes on. */
  onPause(reason: 'offline' | 'busy' | undefined): void
}

export interface UploadProblem {
  status: number
  code: string
  message: string
}

/** Uploads a file to its end, over lost networks and ended tokens. Returns undefined, or what refused it for good. */
export async function uploadFile(task: UploadTask): Promise<UploadProblem | undefined> {
  let failures = 0
  // Counted apart: a token that ended while the network was gone is no second refusal.
  let refusals = 0
  let id = task.id
  let held = 0
  for (;;) {
    const outcome = await tryUpload({
      ...task,
      id,
      onId(given) {
        id = given
        return task.onId(given)
      },
      onHeld(bytes) {
        if (bytes > held) failures = refusals = 0
        held = bytes
        task.onPause(undefined)
        task.onHeld(bytes)
      },
    })
    if (outcome === 'done' || task.signal.aborted) return undefined
    const { status, retryAfter } = outcome
    const decision = decideRetry({ status, retryAfter, failures: status === 401 ? ++refusals : ++failures })
    if (decision.kind === 'stop') return outcome
    if (decision.kind === 'renew') {
      if ((await renewAccess(undefined).catch(() => '')) === undefined) return outcome
      continue
    }
    task.onPause(status === 0 ? 'offline' : 'busy')
    await waitForNetwork(decision.afterMs, task.signal)
  }
}

type Outcome = 'done' | (UploadProblem & { retryAfter: number | undefined })

function tryUpload(task: UploadTask): Promise<Outcome> {
  return new Promise((resolve) => {
    let heard = Date.now()
    let kept: Promise<void> | undefined
    const settle = (outcome: Outcome) => {
      clearInterval(watch)
      task.signal.removeEventListener('abort', stop)
      resolve(outcome)
    }
    const upload = new Upload(new File([task.file], ''), {
      // Without an endpoint a resumed upload that is gone is an error, where the client would begin again at 0.
      ...(task.id === undefined ? { endpoint: '/v0/upload' } : { uploadUrl: `/v0/upload/${task.id}` }),
      metadata: task.metadata,
      chunkSize: PART_BYTES,
      fileReader: arrayBufferReader,
      retryDelays: null,
      storeFingerprintForResuming: false,
      uploadDataDuringCreation: task.id === undefined && task.file.size <= ONE_REQUEST_BYTES,
      async onBeforeRequest(request) {
        await kept
        const token = await accessToken().catch(() => undefined)
        if (token !== undefined) request.setHeader('Authorization', `Bearer ${token}`)
        heard = Date.now()
      },
      onUploadUrlAvailable() {
        const id = upload.url?.split('/').at(-1)
        upload.options.endpoint = null
        if (id !== undefined && id !== task.id) kept = task.onId(id)
      },
      onProgress: () => {
        heard = Date.now()
      },
      onChunkComplete: (_size, accepted) => {
        heard = Date.now()
        task.onHeld(accepted)
      },
      onAfterResponse: (_request, response) => {
        const offset = response.getHeader('Upload-Offset')
        if (offset !== undefined && offset !== null && /^\d+$/.test(offset)) task.onHeld(Number(offset))
      },
      onSuccess: () => {
        task.onHeld(task.file.size)
        settle('done')
      },
      onError: (error) => settle(outcomeOf(error)),
    })
    const giveUp = () => void upload.abort().finally(() => settle({ ...NO_ANSWER, retryAfter: undefined }))
    const stop = () => giveUp()
    const watch = setInterval(() => {
      if (Date.now() - heard > STALL_MS) giveUp()
    }, 1000)
    task.signal.addEventListener('abort', stop, { once: true })
    if (task.signal.aborted) stop()
    else upload.start()
  })
}

const NO_ANSWER: UploadProblem = { status: 0, code: 'offline', message: '' }

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof DetailedError) || !error.originalResponse) return { ...NO_ANSWER, retryAfter: undefined }
  const response = error.originalResponse
  const status = response.getStatus()
  const retryAfter = retryAfterOf(response.getHeader('Retry-After') ?? null)
  return { status, retryAfter, ...problemIn(response.getBody(), status) }
}

function problemIn(body: string, status: number): { code: string; message: string } {
  try {
    const parsed: unknown = JSON.parse(body)
    const { code, message } = { code: undefined, message: undefined, ...(typeof parsed === 'object' ? parsed : {}) }
    if (typeof code === 'string' && typeof message === 'string') return { code, message }
  } catch {
    // A body that is no JSON comes from something between the browser and the service.
  }
  return { code: `status_${status}`, message: '' }
}
